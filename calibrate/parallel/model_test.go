package parallel

import (
	"math"
	"testing"
	"time"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/sim"
)

// Two types: 100 and 50 samples/s on one worker, nothing lost between workers.
var job = Job{Samples: 36e4, Batch: 100, Min: 1, Max: 8, Restart: time.Minute, Resize: 10 * time.Second, Save: 5 * time.Second}

func twoTypes(t *testing.T, j Job) *Model {
	t.Helper()
	m, err := New(j, []Law{{Strong, 1, 0, 0}, {Strong, 2, 0, 0}})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func on(workers ...int32) *sim.Layout { return &sim.Layout{Workers: workers} }

func TestRateOfMixedTypes(t *testing.T) {
	m := twoTypes(t, job)
	for _, c := range []struct {
		l       *sim.Layout
		samples float64
		working int32
	}{
		{on(0, 0), 0, 0},
		{on(1, 0), 100, 1},
		{on(4, 0), 400, 4},
		{on(0, 4), 200, 4},
		{on(2, 2), 200, 4}, // the slower type sets the pace
		{on(9, 0), 800, 8}, // more than the most are spares
		{&sim.Layout{Workers: []int32{4, 0}, Pipelines: 2, Stages: 1}, 200, 2},
		{&sim.Layout{Workers: []int32{1, 0}, Pipelines: 2, Stages: 1}, 0, 0},
		{&sim.Layout{Workers: []int32{4, 0}, Pipelines: 1, Stages: 2}, 0, 0}, // no stages here
	} {
		p := m.Rate(c.l)
		if p.Samples != c.samples || p.Progress != c.samples || p.Working != c.working || c.working > 0 && p.Step != 100 {
			t.Errorf("%+v: %+v, want %v samples/s of %d workers", c.l, p, c.samples, c.working)
		}
	}
}

func TestFixedSizes(t *testing.T) {
	j := job
	j.Sizes = []int{2, 6}
	m := twoTypes(t, j)
	for n, want := range map[int32]int32{1: 0, 2: 2, 5: 2, 6: 6, 8: 6} {
		if got := m.Rate(on(n, 0)).Working; got != want {
			t.Errorf("of %d instances %d train, want %d", n, got, want)
		}
	}
	if m.MaxUseful() != 6 {
		t.Errorf("most useful %d, want 6", m.MaxUseful())
	}
}

func TestChanges(t *testing.T) {
	m := twoTypes(t, job)
	laid := func(n int32) *sim.Layout { return &sim.Layout{Workers: []int32{n, 0}, Pipelines: n, Stages: 1} }
	hit, grid := []sim.Place{{}}, sim.Place{Pipeline: 3, Stage: 1}
	restart := sim.Pause{Stall: time.Minute, As: sim.Restoring, Rollback: true}
	resize := sim.Pause{Stall: 10 * time.Second, As: sim.Reconfiguring}
	for name, c := range map[string]struct {
		change sim.Change
		want   sim.Pause
	}{
		"starts":           {sim.Change{From: on(0, 0), To: on(2, 0)}, sim.Pause{}},
		"grows":            {sim.Change{From: on(2, 0), To: on(3, 0), Worked: 2}, resize},
		"shrinks by plan":  {sim.Change{From: on(3, 0), To: on(2, 0), Worked: 3}, resize},
		"in two steps":     {sim.Change{From: on(0, 0), To: on(2, 0), Worked: 3}, resize},
		"starts again":     {sim.Change{From: on(0, 0), To: on(3, 0), Worked: 3, Vacated: true}, restart},
		"takes places":     {sim.Change{From: on(1, 0), To: laid(3), Worked: 3, Lost: 1}, restart},
		"a worker is lost": {sim.Change{From: on(3, 0), To: on(2, 0), Lost: 1}, restart},
		"and replaced":     {sim.Change{From: on(3, 0), To: on(3, 0), Lost: 1}, restart},
		"a spare is lost":  {sim.Change{From: laid(3), To: laid(3), Worked: 3, Lost: 1, Grid: grid}, sim.Pause{}},
		"a place is lost":  {sim.Change{From: laid(3), To: laid(3), Lost: 1, LostPlaces: hit, Grid: grid}, restart},
		"laid out anew":    {sim.Change{From: laid(3), To: laid(4), Worked: 3, Grid: grid}, resize},
	} {
		if got := m.Change(&c.change); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// What a planner is told of a cluster is what the world runs it at.
func TestEstimatesAreTheRate(t *testing.T) {
	check := near.Count(t)
	law := func(alone float64) Law { return Law{Weak, alone, 0.2 * alone, 0.1 * alone} }
	j := job
	j.Max, j.Sizes = 12, []int{1, 2, 3, 5, 8, 12}
	m, err := New(j, []Law{law(1), law(1.7), law(0.4)})
	if err != nil {
		t.Fatal(err)
	}
	workers := make([]sim.Worker, 3)
	for a := range int32(5) {
		for b := range int32(5) {
			for c := range int32(5) {
				l := on(a, b, c)
				n := l.Total()
				if n == 0 || n > 12 {
					continue
				}
				m.Workers(n, 0, workers)
				var tally sim.Tally
				for p, k := range l.Workers {
					tally.Add(int(k), workers[p])
				}
				e, pace := m.Estimate(tally, math.Inf(1), 0), m.Rate(l)
				if want := j.Samples / pace.Samples; check.Off(e.Seconds/want, 1, 1e-9) {
					t.Fatalf("%v: %v s, the world takes %v", l.Workers, e.Seconds, want)
				}
			}
		}
	}
}

func TestWorkerBounds(t *testing.T) {
	m := twoTypes(t, job)
	// 360,000 samples in an hour are 100 a second: one of the fast type.
	for _, c := range []struct {
		seconds float64
		lo, hi  int
	}{{3600, 1, 8}, {3599, 2, 8}, {450, 8, 8}, {400, 9, 8}} {
		if lo, hi := m.WorkerBounds(math.Inf(1), 0, c.seconds); lo != c.lo || hi != c.hi {
			t.Errorf("%v s: %d to %d workers, want %d to %d", c.seconds, lo, hi, c.lo, c.hi)
		}
	}
}

func TestJobsThatCannotBe(t *testing.T) {
	for name, change := range map[string]func(*Job){
		"samples": func(j *Job) { j.Samples = 0 }, "batch": func(j *Job) { j.Batch = math.NaN() }, "least": func(j *Job) { j.Min = 0 },
		"most": func(j *Job) { j.Max = 0 }, "restart": func(j *Job) { j.Restart = -1 }, "sizes": func(j *Job) { j.Sizes = []int{9} },
	} {
		j := job
		change(&j)
		if _, err := New(j, []Law{{Strong, 1, 0, 0}}); err == nil {
			t.Errorf("%s: no error for %+v", name, j)
		}
	}
}
