package skynomad

import (
	"math"
	"testing"

	"github.com/marigram/marigram/internal/near"
)

func equal(t *testing.T, what string, got, want float64) {
	t.Helper()
	near.Abs(t, what, got, want, 1e-12*max(1, math.Abs(want)))
}

// Three runs by hand: of 1 h and 3 h that failed, and of 2 h that was given back.
func TestLifetimes(t *testing.T) {
	var l Lifetimes
	const tick = 1.0 / 6
	hour := func(h float64) float64 { return h * 3600 }
	equal(t, "nothing known", l.ExpectedH(tick, 2), 2)
	for _, x := range []struct {
		from, to float64
		failed   bool
	}{{0, 1, true}, {2, 4, false}, {5, 8, true}} {
		l.Start(hour(x.from), false)
		l.End(hour(x.to), x.failed)
	}
	l.Update(hour(8), tick)
	// hazards: a third at 1 h, all at 3 h; no run is open
	survives := math.Exp(-1.0 / 3)
	equal(t, "life", l.ExpectedH(tick, math.Inf(1)), 1+2*survives+survives*math.Exp(-1)*tick/(1-math.Exp(-1)))
	equal(t, "availability", l.Availability(hour(8), 12), 6.0/8)
	equal(t, "availability of late", l.Availability(hour(8), 4), 3.0/4)
	l.Start(hour(8), false)
	l.Launched()
	l.Update(hour(10), tick)
	equal(t, "life of one of 2 h", l.ExpectedH(tick, math.Inf(1)), 1+math.Exp(-l.Burst())*tick/(1-math.Exp(-l.Burst())))
	if l.AgeH() != 2 {
		t.Errorf("age %v", l.AgeH())
	}
}

// What is left runs in the cheapest zone as far as that is there, and in the next.
func TestValue(t *testing.T) {
	j := Job{TickS: 600, WorkS: 10 * 3600, DeadlineS: 20 * 3600}
	p := NewPace(10)
	p.Add(0)
	offers := []Offer{{SpotUSD: 2, ExpectedH: 1, Availability: 1}, {SpotUSD: 1, ExpectedH: 1, Availability: 0.25}, {SpotUSD: 0.5, ExpectedH: 1}}
	equal(t, "value", p.Value(&j, &State{}, offers, 5), 1.2*(5*1+5*2)/10) // 5 h of 20 in the second
	equal(t, "without spot", p.Value(&j, &State{}, nil, 5), 1.2*5)
	j.CheckpointGB = 100
	equal(t, "with a move", p.Value(&j, &State{}, offers, 5), 1.2*(15+100*0.02)/10)
}

// An hour of work and then an hour of none: by the last hour a sixth (the tick that ends at its beginning
// counts), by all half.
func TestPaceOfAWindow(t *testing.T) {
	j := Job{TickS: 600, WorkS: 36000, DeadlineS: 72000}
	for window, want := range map[float64]float64{1: 1.0 / 6, 10: 0.5} {
		p := NewPace(window)
		for i := range 13 {
			p.Add(map[bool]float64{true: 600}[i > 0 && i <= 6])
		}
		equal(t, "rate", p.rate(&j, &State{Now: 7200, Done: 3600}), want)
	}
}

// Progress on the line, behind it, and at the last moment.
func TestProgress(t *testing.T) {
	j := Job{TickS: 600, WorkS: 10 * 3600, DeadlineS: 20 * 3600, RestartS: 600}
	for _, x := range []struct {
		state State
		held  Kind
		up    bool
		want  Kind
		stay  bool
	}{
		{State{}, None, false, None, false}, {State{}, None, true, Spot, false},
		{State{Now: 36000, Done: 17000}, None, false, OnDemand, false}, {State{Now: 36000, Done: 17000}, OnDemand, true, OnDemand, false},
		{State{Now: 36000, Done: 20000}, OnDemand, true, Spot, false},
		{State{Now: 36000 - 600}, None, true, OnDemand, false}, {State{Now: 36000 - 600}, Spot, true, Spot, false},
	} {
		if want, stay := j.Progress(&x.state, x.held, x.up); want != x.want || stay != x.stay {
			t.Errorf("%+v: %v, %v", x, want, stay)
		}
	}
	if !j.MustRun(&State{Now: 36000 - 600}) || j.MustRun(&State{Now: 36000 - 1800}) {
		t.Error("the last moment is not found")
	}
}
