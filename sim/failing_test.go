package sim

import (
	"math"
	"testing"
	"time"

	"github.com/marigram/marigram/internal/near"
)

// keeper holds n instances of the first pool.
type keeper int

func (keeper) Name() string { return "keeper" }

func (k keeper) Decide(_ View, plan *Plan) { plan.Jobs[0].Hold[0] = int(k) }

// gangOf trains on n instances or not at all, and loses what was not saved: nothing is.
type gangOf struct {
	flat
	n       int
	restart time.Duration
	goal    float64
}

func (g gangOf) Rate(l *Layout) Rate {
	if l.Total() < g.n {
		return Rate{}
	}
	return Rate{Progress: 1, Working: int32(g.n)}
}

func (g gangOf) Goal(float64) float64 { return g.goal }

func (g gangOf) Change(c *Change) Pause {
	if c.Lost == 0 {
		return Pause{}
	}
	return Pause{Stall: g.restart, As: Restoring}
}

// failingWorld is a run of a job on n machines, of which some more may be there, for a number of hours.
func failingWorld(t testing.TB, n int, of *Failures, restart time.Duration, hours float64) *World {
	t.Helper()
	m, err := NewMarket(At(hours*3600), []Trace{{Pool: Pool{Name: "own", OnDemand: true, Quota: n, Failures: of}, Prices: []Price{{USD: 1}}}})
	if err != nil {
		t.Fatal(err)
	}
	w, err := New(Config{Market: m, Policy: keeper(n), Seed: 7,
		Jobs: []Job{{Model: gangOf{n: n, restart: restart, goal: 1e12}, Objective: Objective{Within: time.Hour}}}})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// Failures come at their rate, and as many machines are down as the rate and the repairs say, for every law; machines
// that are down do not fail.
func TestFailuresByRate(t *testing.T) {
	const n, perHour, hours, repair = 400, 0.002, 20000, 24
	for name, of := range map[string]Failures{
		"exponential": {}, "weibull": {Shape: 0.8}, "lognormal": {Sigma: 1}, "bad": {BadShare: 0.15, BadTimes: 5},
		"two stages": {Repairs: []Repair{{Mean: 8 * time.Hour, Ends: 0.2, Works: 1}, {Mean: 20 * time.Hour}}},
		"whole":      {Repairs: []Repair{{Boot: Boot{Median: 24 * time.Hour}}}},
	} {
		of.PerHour = perHour
		if of.Repairs == nil {
			of.Repairs = []Repair{{Mean: repair * time.Hour}}
		}
		w := failingWorld(t, n, &of, 0, hours)
		x := w.Run()
		rates := perHour / (1 + perHour*repair) // of a machine, with its repairs
		if of.BadShare > 0 {
			bad := perHour * (1 + of.BadTimes)
			rates = (1-of.BadShare)*rates + of.BadShare*bad/(1+bad*repair)
		}
		want := n * hours * rates
		near.Abs(t, name+": failures", float64(x.Failures), want, 5*math.Sqrt(want)*(1+of.Sigma))
		near.Abs(t, name+": machines down", float64(x.Down)/3600e6/hours, rates*n*repair, 0.04*rates*n*repair)
		if x.Repairs > x.Failures || x.Failures-x.Repairs > n {
			t.Errorf("%s: %d failures, %d repairs", name, x.Failures, x.Repairs)
		}
	}
}

// Recorded outages take machines away and bring them back, exactly; a failure is seen late, and spares come in after a
// wait.
func TestRecordedOutages(t *testing.T) {
	hour := func(h float64) Time { return At(h * 3600) }
	of := &Failures{Outages: []Outage{{Machine: 1, From: hour(10), Until: hour(20)}, {Machine: 1, From: hour(12), Until: hour(13)},
		{Machine: 0, From: hour(30), Until: Never}, {Machine: 9, From: hour(31), Until: hour(32)}}}
	w := failingWorld(t, 2, of, time.Hour, 50)
	x := w.Run()
	near.Abs(t, "hours down", float64(x.Down)/3600e6, 10+20, 1e-9) // the second is within the first, the last of no machine
	if x.Failures != 2 || x.Repairs != 1 || x.Pools[0].Failures != 2 || x.Preemptions != 0 {
		t.Errorf("%+v", x)
	}
	useful := x.Jobs[0].Activities[Useful]
	near.Abs(t, "useful machine-hours", float64(useful)/3600e6, 2*(10+(30-20-1)), 1e-9)

	of.Spares, of.SpareWait, of.Detect = 1, 30*time.Minute, 6*time.Minute
	x = failingWorld(t, 2, of, time.Hour, 50).Run()
	near.Abs(t, "machine-hours of spares", float64(x.Spares)/3600e6, 40, 1e-9) // from the first failure on: nobody gives it back
	useful = x.Jobs[0].Activities[Useful]
	near.Abs(t, "useful machine-hours", float64(useful)/3600e6, 2*(50-2*1-0.1-0.5-0.1), 1e-9) // the second failure is replaced by the first machine
}

// A machine that fails while no job trains does not fail, one that fails too many times is gone, and standbys take over
// at once.
func TestFailureRules(t *testing.T) {
	of := &Failures{PerHour: 0.01, OnlyTraining: true, Repairs: []Repair{{Mean: 500 * time.Hour}}, Standbys: 200}
	w := failingWorld(t, 100, of, 6*time.Hour, 5000)
	x := w.Run()
	trained := float64(x.Jobs[0].Activities[Useful]) / 3600e6 / 100 // hours in which all train: one failure an hour
	near.Abs(t, "failures while training", float64(x.Failures), trained, 5*math.Sqrt(trained))
	if got := float64(x.Jobs[0].Activities[Starting]); got != 0 || trained < 600 {
		t.Errorf("%v us of starting with standbys, %v h of training", got, trained)
	}
	of = &Failures{PerHour: 0.01, Repairs: []Repair{{Mean: time.Hour}}, Retire: 3, Within: 24 * time.Hour * 365}
	x = failingWorld(t, 10, of, 0, 5000).Run()
	if x.Retired != 10 || x.Failures != 30 || x.Repairs != 20 {
		t.Errorf("%d failures, %d repairs, %d machines retired; expected 30, 20 and all 10", x.Failures, x.Repairs, x.Retired)
	}
	of = &Failures{PerHour: 0.01, Undiagnosed: 1, Repairs: []Repair{{Mean: time.Hour}}}
	x = failingWorld(t, 10, of, 0, 5000).Run()
	if x.Down != 0 || x.Failures < 400 || x.Pools[0].Failures != x.Failures {
		t.Errorf("undiagnosed: %d failures, %v down", x.Failures, x.Down)
	}
}

// A fork of a run with failures goes on as the run does, a second run is the first, and neither needs new memory.
func TestFailuresRepeat(t *testing.T) {
	of := &Failures{PerHour: 0.01, BadShare: 0.2, BadTimes: 4, OnlyTraining: true,
		Repairs: []Repair{{Mean: 30 * time.Hour, Ends: 0.3, Works: 0.5}, {Mean: time.Hour, Works: 1}},
		Retire:  6, Within: 900 * time.Hour, Spares: 5, SpareWait: time.Minute, Misdiagnosed: 0.2}
	w := failingWorld(t, 40, of, 10*time.Minute, 3000)
	c := w.cfg
	w.RunUntil(At(1000 * 3600))
	var fork World
	w.Fork(&fork, keeper(40))
	a, b := *w.Run(), *fork.Run()
	if a.Failures != b.Failures || a.Down != b.Down || a.Bill != b.Bill || a.Failures < 100 || a.Retired == 0 || a.Spares == 0 {
		t.Errorf("run %+v\nfork %+v", a, b)
	}
	want := a.Failures
	if n := testing.AllocsPerRun(20, func() {
		if err := w.Reset(c); err != nil {
			t.Fatal(err)
		}
		if got := w.Run().Failures; got != want {
			t.Fatalf("%d failures, then %d", want, got)
		}
	}); n != 0 {
		t.Errorf("%v allocations in a run, expected none", n)
	}
}
