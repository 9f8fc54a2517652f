package sim

import (
	"math"
	"testing"
	"time"

	"github.com/marigram/marigram/internal/near"
)

// imaginer holds n instances and imagines, once, at an instant of its run.
type imaginer struct {
	keeper
	at      Time
	imagine func(View)
	done    bool
}

func (i *imaginer) Decide(v View, plan *Plan) {
	if v.Now() >= i.at && !i.done {
		i.done = true
		i.imagine(v)
	}
	i.keeper.Decide(v, plan)
	plan.WakeIn(max(i.at.Sub(v.Now()), time.Hour))
}

// Imagined machines fail as often as their law says and are down as long, for every law, whether the run itself draws
// failures or follows a past; the run is as if nothing had been imagined.
func TestFailuresAreImagined(t *testing.T) {
	const n, perHour, repair, half = 200, 0.002, 24, 4000
	for name, of := range map[string]Failures{
		"exponential": {}, "weibull": {Shape: 0.8}, "bad": {BadShare: 0.15, BadTimes: 5}, "recorded": {}, "spares": {Spares: 20},
	} {
		of.PerHour = perHour
		of.Repairs = []Repair{{Mean: repair * time.Hour}}
		if name == "recorded" {
			of.PerHour = 0
			of.Outages = regularOutages(n, half, 1/(perHour/(1+perHour*repair)*n), repair)
		}
		rate := perHour / (1 + perHour*repair)
		if of.BadShare > 0 {
			bad := perHour * (1 + of.BadTimes)
			rate = (1-of.BadShare)*rate + of.BadShare*bad/(1+bad*repair)
		}
		for _, follows := range []bool{false, true} {
			w := failingWorld(t, n, &of, 0, 2*half)
			alone := *w.Run()
			c := w.cfg
			var before, after Totals
			c.Policy = &imaginer{keeper: n, at: At(half * 3600), imagine: func(v View) {
				var future Market
				var fork World
				v.Future(&future, At(2*half*3600), make([]Outlook, 1))
				v.Imagine(&fork, &future, 11, keeper(n))
				before = *fork.Totals()
				after = *fork.Run()
			}}
			if follows {
				m, err := c.Market.Granting([][]Life{make([]Life, n)}, c.Market.End())
				if err != nil {
					t.Fatal(err)
				}
				for i := range m.series[0].lifetimes {
					m.series[0].lifetimes[i] = Life{Noticed: Never, Gone: Never}
				}
				c.Market = m
			}
			if err := w.Reset(c); err != nil {
				t.Fatal(err)
			}
			x := *w.Run()
			machines := float64(n + of.Spares)
			want := machines * half * rate
			near.Abs(t, name+": failures", float64(after.Failures-before.Failures), want, 5*math.Sqrt(want))
			near.Abs(t, name+": machines down", float64(after.Down-before.Down)/3600e6/half, machines*rate*repair, 0.1*machines*rate*repair)
			if follows && x.Failures != 0 || !follows && (x.Failures != alone.Failures || x.Down != alone.Down) {
				t.Errorf("%s, follows a past %v: %d failures, alone %d", name, follows, x.Failures, alone.Failures)
			}
		}
	}
}

// regularOutages are those of n machines, one after the other every so many hours, each of the same length, until a
// number of hours, and none of which anything could be learnt after it.
func regularOutages(n int, hours, every, length float64) (all []Outage) {
	for k := 0; float64(k)*every < hours; k++ {
		from := float64(k) * every * 3600
		all = append(all, Outage{Machine: k * 7 % n, From: At(from), Until: At(from + length*3600)})
	}
	return all
}

// A server that is down stays down in what is imagined, however long that was drawn in the run, and comes back at
// another time.
func TestDownStaysDown(t *testing.T) {
	of := &Failures{Whole: true, PerHour: 0.05, Repairs: []Repair{{Mean: 20 * time.Hour}}}
	var traces []Trace
	for _, name := range []string{"a", "b", "c", "d"} {
		traces = append(traces, Trace{Pool: Pool{Name: name, Quota: 4, Failures: of}, Prices: []Price{{USD: 1}}})
	}
	m, err := NewMarket(At(1000*3600), traces)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	at := At(0)
	look := func(v View) {
		var future Market
		var fork World
		v.Future(&future, At(1000*3600), make([]Outlook, 4))
		v.Imagine(&fork, &future, 5, keeper(4))
		is := View{&fork}
		for p := range 4 {
			if v.Down(p) != is.Down(p) {
				t.Errorf("at %v server %d is down: %v, in what is imagined %v", v.Now(), p, v.Down(p), is.Down(p))
			}
			if v.Down(p) {
				seen++
			}
		}
		if x := fork.Run(); x.Failures < 20 || x.Repairs < 20 {
			t.Errorf("%d failures, %d repairs in what is imagined", x.Failures, x.Repairs)
		}
	}
	for range 20 {
		at = at.Add(20 * time.Hour)
		w, err := New(Config{Market: m, Policy: &imaginer{keeper: 4, at: at, imagine: look}, Seed: 3,
			Jobs: []Job{{Model: gangOf{n: 4, goal: 1e12}, Objective: Objective{Within: time.Hour}}}})
		if err != nil {
			t.Fatal(err)
		}
		w.Run()
	}
	if seen < 10 {
		t.Errorf("%d servers were down when a future was imagined: too few", seen)
	}
}
