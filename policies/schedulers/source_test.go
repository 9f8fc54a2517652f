package schedulers_test

import (
	"testing"
	"time"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/papers/gavel/rules"
	"github.com/marigram/marigram/policies/schedulers"
	"github.com/marigram/marigram/policies/schedulers/share"
	"github.com/marigram/marigram/sim"
)

// Jobs that come from a source, one by one, have the same times to the last bit as jobs that are held, and cost the
// same.
func TestSource(t *testing.T) {
	check := near.Count(t)
	for _, p := range append(everyScheduler(), &schedulers.Rounds{Rule: func() share.Rule { return &share.MaxMin{} }},
		&schedulers.Rounds{Rule: func() share.Rule { return rules.Isolated{} }, Placement: schedulers.Closest}) {
		c := busy(t, 0, p)
		c.Jobs = c.Jobs[:30]
		want := run(t, c)
		c.Source, c.Jobs = listed{jobs: c.Jobs}, nil
		ends := &ends{}
		c.JobRecorder = ends
		got := run(t, c)
		for j := range want.Jobs {
			if ends.of[j] != want.Jobs[j].Elapsed {
				t.Fatalf("%s, job %d of a source: %v, expected %v", p.Name(), j, ends.of[j], want.Jobs[j].Elapsed)
			}
		}
		if usd := want.Bill.Total(); got.End != want.End || got.Decisions != want.Decisions || check.Off(usd, got.Bill.Total(), 1e-12*usd) {
			t.Errorf("%s: %d decisions until %v for %v USD, expected %d until %v for %v", p.Name(), got.Decisions, got.End, got.Bill.Total(),
				want.Decisions, want.End, usd)
		}
	}
}

// listed is a source of listed jobs.
type listed struct {
	jobs []sim.Job
	next int
}

func (l listed) Open() sim.Arrivals { return &l }

func (l *listed) Next(job *sim.Job) (bool, error) {
	if l.next == len(l.jobs) {
		return false, nil
	}
	*job = l.jobs[l.next]
	l.next++
	return true, nil
}

func (l *listed) Fork() sim.Arrivals { c := *l; return &c }

// ends is how long jobs took.
type ends struct{ of map[int]time.Duration }

func (*ends) Job(sim.Time, int, sim.JobEvent) {}

func (e *ends) Ended(id int, _ *sim.Job, t *sim.JobTotals) {
	if e.of == nil {
		e.of = map[int]time.Duration{}
	}
	e.of[id] = t.Elapsed
}
