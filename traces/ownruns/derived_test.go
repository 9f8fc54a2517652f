package ownruns_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces/ownruns"
)

// lost is a run that loses one of two machines, in seconds.
const lost = ownruns.Header + `
0,start,,,,
0,requested,,p3,z,2
5,launched,a,p3,z,
5,launched,b,p3,z,
60,ready,a,,,
60,ready,b,,,
60,restart,,,,
100,restored,,,,0
200,step,,,,10
300,step,,,,20
400,step,,,,30
420,save,,,,20
520,step,,,,40
620,step,,,,50
650,notice,b,,,50
700,terminated,b,,,
710,requested,,p3,z,
720,launched,c,p3,z,
780,ready,c,,,
780,restart,,,,
800,restored,,,,30
900,step,,,,40
1000,step,,,,50
1100,step,,,,60
1100,end,,,,
0,price,,p3,z,3.6
705,price,,p3,z,7.2
0,charge,a,p3,,1.5
3600,charge,a,p3,,-0.25
`

func TestDerived(t *testing.T) {
	check := near.Count(t)
	r := parsed(t, lost)
	p := r.Progress()
	if p.Steps != 60 || p.Redone != 20 || p.Falls != 1 || p.Restarts != 2 || p.Saves != 1 || p.Interruptions != 1 || len(p.Points) != 10 {
		t.Errorf("%+v", p)
	}
	var text strings.Builder
	for _, h := range r.Holdings() {
		fmt.Fprintln(&text, h.Instance, h.Pool(), h.Requested/1e6, h.Launched/1e6, h.Ready/1e6, h.Gone/1e6, h.End, h.Noticed == ownruns.Missing)
	}
	if text.String() != "a z/p3 0 5 60 1100 kind(0) true\nb z/p3 0 5 60 700 preempted false\nc z/p3 710 720 780 1100 kind(0) true\n" {
		t.Error(text.String())
	}
	tl := r.Timeline()
	want := map[sim.Activity]float64{sim.Starting: 170, sim.Restoring: 360, sim.Useful: 1200, sim.Checkpointing: 40, sim.Redone: 400}
	for a, h := range tl.Hours() {
		if check.Off(3600*h, want[sim.Activity(a)], 1e-6) {
			t.Errorf("%v: %v instance-seconds, expected %v", sim.Activity(a), 3600*h, want[sim.Activity(a)])
		}
	}
	if s := tl.Stalls(); len(s) != 1 || s[0] != (ownruns.Stall{From: 620e6, To: 800e6, As: sim.Restoring}) {
		t.Errorf("%+v", s)
	}
	// a: 700 s at 0.001 and 395 s at 0.002, b: 695 s at 0.001, c: 380 s at 0.002
	d := r.Dollars()
	if check.Off(d.PricedUSD, .7+.79+.695+.76, 1e-9) || d.UnpricedH != 0 || d.BilledUSD != 1.25 || d.Charges != 2 || len(d.ByPool) != 1 {
		t.Errorf("%+v", d)
	}
}

// sound checks what holds of every timeline: no holes, and the hours are those of the machines.
func sound(t *testing.T, r *ownruns.Run) {
	t.Helper()
	tl := r.Timeline()
	end, _ := r.Finish()
	at := r.Zero
	for _, s := range tl.Stretches {
		if s.From != at || s.To <= s.From || !near.Between(s.Steps, 0, math.Inf(1)) {
			t.Fatalf("a stretch from %d to %d after %d, %v steps", s.From, s.To, at, s.Steps)
		}
		at = s.To
	}
	if at != end && end > r.Zero {
		t.Fatalf("the last stretch ends at %d, the run at %d", at, end)
	}
	held, counted := 0.0, 0.0
	for _, h := range r.Holdings() {
		if h.Gone < h.Seen || h.ReadyAt() < h.Seen && h.Ready != ownruns.Missing {
			t.Fatalf("%+v", h)
		}
		from, to := max(h.Seen, r.Zero), min(h.Gone, end)
		held += max(0, float64(to-from)/3600e6)
	}
	for _, h := range tl.Hours() {
		counted += h
	}
	if len(tl.Pools) > 0 && !near.Is(held, counted, 1e-6*(1+held)) {
		t.Fatalf("%v instance-hours, counted by activity %v", held, counted)
	}
	r.Progress()
	r.Dollars()
	tl.Stalls()
}

func TestSound(t *testing.T) {
	for _, text := range []string{sample, lost,
		ownruns.Header + "\n0,start,,,,\n50,preempted,a,,,\n60,launched,a,,,\n70,step,,,,5000\n80,step,,,,5001\n", // log and fleet begin late
		ownruns.Header + "\n0,step,,,,0\n10,step,,,,1\n20,step,,,,2\n900,step,,,,3\n910,step,,,,4\n920,step,,,,3\n",
	} {
		sound(t, parsed(t, text))
	}
}
