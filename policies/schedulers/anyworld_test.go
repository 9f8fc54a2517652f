package schedulers_test

import (
	"testing"
	"time"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/policies/schedulers"
	"github.com/marigram/marigram/policies/schedulers/share"
	"github.com/marigram/marigram/sim"
)

// In the world of Schedulers, policies that look at all jobs decide what they decide in the other: every job has the same times to the last
// bit, whether jobs are held or come from a source, and costs the same but for rounding.
func TestSparse(t *testing.T) {
	check := near.Count(t)
	for _, p := range []sim.Policy{
		schedulers.NewDally(), &schedulers.Dally{Lease: 2 * time.Minute, Rack: 1, Network: 3, History: 24},
		&schedulers.Rounds{Rule: func() share.Rule { return &share.MaxMin{} }}, &schedulers.Rounds{Rule: func() share.Rule { return share.Isolated{} },
			Placement: schedulers.Closest},
	} {
		many, can := schedulers.Sparse(p)
		if !can {
			t.Fatalf("%s cannot", p.Name())
		}
		for seed := range uint64(1) {
			c := busy(t, seed, p)
			c.Jobs = c.Jobs[:30]
			want := run(t, c)
			c.Policy = many
			got := run(t, c)
			for j := range want.Jobs {
				a, b := want.Jobs[j], got.Jobs[j]
				if usd := a.Bill.Total(); check.Off(usd, b.Bill.Total(), 1e-12*usd) {
					t.Errorf("%s, job %d: %v USD, expected %v", p.Name(), j, b.Bill.Total(), usd)
				}
				if a.Bill = b.Bill; a != b {
					t.Fatalf("%s, seed %d, job %d: %+v, expected %+v", p.Name(), seed, j, b, a)
				}
			}
			if got.Decisions != want.Decisions || got.End != want.End {
				t.Errorf("%s: %d decisions until %v, expected %d until %v", p.Name(), got.Decisions, got.End, want.Decisions, want.End)
			}
			c.Source, c.Jobs = listed{jobs: c.Jobs}, nil
			ends := &ends{}
			c.JobRecorder = ends
			run(t, c)
			for j := range want.Jobs {
				if ends.of[j] != want.Jobs[j].Elapsed {
					t.Fatalf("%s, seed %d, job %d of a source: %v, expected %v", p.Name(), seed, j, ends.of[j], want.Jobs[j].Elapsed)
				}
			}
		}
	}
	if _, can := schedulers.Sparse(&schedulers.FIFO{}); can {
		t.Error("FIFO is a Scheduler anyway")
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
