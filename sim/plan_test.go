package sim

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/internal/near"
)

// slowSaves is a model whose saves take a second a worker.
type slowSaves struct{ flat }

func (slowSaves) SaveTime(l *Layout) (stall, persist time.Duration) {
	return time.Duration(l.Total()) * time.Second, 0
}

// grower holds one instance more every hour, and notes how long a save would take.
type grower struct{ saves []time.Duration }

func (*grower) Name() string { return "grower" }

func (g *grower) Decide(v View, plan *Plan) {
	plan.Jobs[0].Hold[0] = 1 + int(v.Now().Sub(v.Start()).Hours())
	g.saves = append(g.saves, v.Job(0).SaveTime())
	plan.WakeIn(time.Hour)
}

// TestSaveTime: a view says how long a save takes on the layout in force, in a fork too,
// and by the model that the policy believes in.
func TestSaveTime(t *testing.T) {
	m, err := NewMarket(Time(0).Add(4*time.Hour), []Trace{{Pool: Pool{Name: "a", Quota: 9}, Prices: []Price{{USD: 1}}}})
	if err != nil {
		t.Fatal(err)
	}
	g := &grower{}
	job := Job{Model: flat{}, Belief: slowSaves{}, Objective: Objective{Within: time.Hour}}
	w, err := New(Config{Market: m, Jobs: []Job{job}, Policy: g})
	if err != nil {
		t.Fatal(err)
	}
	w.RunUntil(Time(0).Add(90 * time.Minute))
	var fork World
	other := &grower{}
	w.Fork(&fork, other)
	fork.Run()
	w.Run()
	check := func(who string, got []time.Duration, largest int) {
		t.Helper()
		for _, span := range got {
			if span < 0 || span > time.Duration(largest)*time.Second {
				t.Errorf("%s: a save takes %v, expected at most a second for each of %d instances", who, span, largest)
			}
		}
		if last := got[len(got)-1]; last != time.Duration(largest)*time.Second {
			t.Errorf("%s: a save takes %v at last, expected %d s", who, last, largest)
		}
	}
	check("run", g.saves, 4)
	check("fork", other.saves, 4)
}

// swapper gives Hold memory of its own, of a number of pools.
type swapper int

func (swapper) Name() string { return "swapper" }

func (s swapper) Decide(_ View, plan *Plan) {
	plan.Jobs[0].Hold = make([]int, s)
	for p := range plan.Jobs[0].Hold {
		plan.Jobs[0].Hold[p] = 2
	}
}

// TestHoldOfOnesOwn: a policy may replace Hold, but not by one for other pools.
func TestHoldOfOnesOwn(t *testing.T) {
	if got := askWorld(t, swapper(1)).Run().Grants; got != 2 {
		t.Errorf("%d instances are granted, expected the 2 that the plan wants", got)
	}
	defer func() {
		if text, _ := recover().(string); !strings.Contains(text, "one number for each pool") {
			t.Errorf("a plan for two pools of one says %q", text)
		}
	}()
	askWorld(t, swapper(2)).Run()
}

// TestSame goes through lengths below and above those that same compares at once.
func TestSame(t *testing.T) {
	for n := range 14 {
		a, b := make([]int, n), make([]int, n)
		for i := range a {
			a[i], b[i] = 3*i, 3*i
		}
		if !same(a, b) {
			t.Errorf("%d equal elements are told to differ", n)
		}
		for i := range b {
			b[i]++
			if same(a, b) {
				t.Errorf("of %d elements, another one at %d is not noticed", n, i)
			}
			b[i]--
		}
	}
}

// server holds three instances of each of two pools, gives the second back after an hour and
// the first of the other pool after two, and is done after three.
type server struct{ seen [][]Instance }

func (*server) Name() string { return "server" }

func (s *server) Decide(v View, plan *Plan) {
	p := &plan.Jobs[0]
	s.seen = append(s.seen, v.Job(0).Instances(nil))
	switch v.Now().Sub(v.Start()) {
	case 0:
		p.Hold[0], p.Hold[1] = 3, 3
	case time.Hour:
		p.GiveBack = append(p.GiveBack, Instance{Pool: 0, Ordinal: 1})
		p.Hold[0]--
	case 2 * time.Hour:
		p.GiveBack = append(p.GiveBack, Instance{Pool: 1, Ordinal: 0})
		p.Hold[1]--
	case 3 * time.Hour:
		p.Done = true
	}
	plan.WakeIn(time.Hour)
}

// endless never reaches its goal.
type endless struct{ flat }

func (endless) Goal(float64) float64 { return math.MaxFloat64 }

// TestGiveBackAndDone: the plan names what is given back, and ends a job without a goal.
func TestGiveBackAndDone(t *testing.T) {
	check := near.Count(t)
	trace := func(name string) Trace { return Trace{Pool: Pool{Name: name, Quota: 9}, Prices: []Price{{USD: 1}}} }
	m, err := NewMarket(Time(0).Add(9*time.Hour), []Trace{trace("a"), trace("b")})
	if err != nil {
		t.Fatal(err)
	}
	s := &server{}
	w, err := New(Config{Market: m, Jobs: []Job{{Model: endless{}, Objective: Objective{Within: time.Hour}}}, Policy: s})
	if err != nil {
		t.Fatal(err)
	}
	w.RunUntil(Time(0).Add(90 * time.Minute))
	var fork World
	w.Fork(&fork, &server{})
	for _, totals := range []*Totals{w.Run(), fork.Run()} {
		if j := totals.Jobs[0]; !j.Finished || j.Elapsed != 3*time.Hour || check.Off(totals.Bill.Total(), 3*3+3*3-2-1, 1e-9) {
			t.Errorf("%+v, %v USD", j, totals.Bill.Total())
		}
	}
	if len(s.seen) != 4 || len(s.seen[1]) != 6 || len(s.seen[3]) != 4 {
		t.Fatalf("instances seen: %v", s.seen)
	}
	for i, want := range []Instance{{Pool: 0, Ordinal: 0}, {Pool: 0, Ordinal: 2}, {Pool: 1, Ordinal: 1}, {Pool: 1, Ordinal: 2}} {
		if got := s.seen[3][i]; got.Pool != want.Pool || got.Ordinal != want.Ordinal || !got.Ready || got.Noticed {
			t.Errorf("instance %d: %+v, want %+v", i, got, want)
		}
	}
}
