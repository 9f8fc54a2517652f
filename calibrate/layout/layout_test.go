package layout

import (
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/near"
)

// small is a network of four layers on two GPU types: fast takes 1, 2, 2, 1 s forward and as much backward, slow twice
// that; with tensor parallelism 2 half of it.
func small(t testing.TB) *Profile {
	t.Helper()
	sizes, times := map[int][]Size{}, map[Point][]Time{}
	for _, tp := range []int{1, 2} {
		for _, x := range []float64{1, 2, 2, 1} {
			sizes[tp] = append(sizes[tp], Size{Params: 25e6 * x / float64(tp), Output: 250e6, Activations: 50e6 * x / float64(tp)})
			for gpu, slow := range map[string]float64{"fast": 1, "slow": 2} {
				at := Point{gpu, 1, tp}
				times[at] = append(times[at], Time{slow * x / float64(tp), slow * x / float64(tp), 0.5})
			}
		}
	}
	p, err := NewProfile("small", sizes, times)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The time, the memory and the traffic of a pipeline of two stages with two replicas each, by hand.
func TestCost(t *testing.T) {
	fast, slow := Place{"fast", "a", 2, 1}, Place{"slow", "b", 2, 2}
	l := Layout{Micro: 1, Batch: 8, Stages: []Stage{{[]int{0, 1}, []Place{fast, fast}}, {[]int{2, 3}, []Place{slow, slow}}}}
	curve := Curve{0, 0, 2} // 1 GB in 0.5 s
	curves := map[[2]End]Curve{}
	for _, a := range []End{{"a", "fast", 1}, {"b", "slow", 2}} {
		for _, b := range []End{{"a", "fast", 1}, {"b", "slow", 2}} {
			curves[[2]End{a, b}] = curve
		}
	}
	m := Model{small(t), NewLinks(curves, map[[2]string]float64{{"a", "b"}: 0.02, {"b", "a"}: 0.03}),
		Runtime{Compute: 1, Exposed: 2, Sync: 1, BaseGB: 3, TPGB: 0.5, State: 4, Kept: 1}}
	c, err := m.Cost(&l)
	if err != nil {
		t.Fatal(err)
	}
	// Four micro-batches a pipeline; both stages take 6 s, and 2 x 0.5 s for 1 GB each way. A ring of two sends half of
	// 300 MB twice.
	sync := 2 * (0.15 / 2)
	near.Abs(t, "sync", c.Sync, sync, 1e-12)
	near.Abs(t, "step", c.Step, 3*7+12+1+sync+0.5, 1e-12)
	// The first stage holds two micro-batches of 600 MB of activations, and 300 MB of parameters four times.
	near.Abs(t, "memory", c.Memory, 3.5e9+4*0.3e9+2*0.6e9, 1)
	near.Abs(t, "moved", c.Moved, 2*2*4, 1e-12)
	near.Abs(t, "egress", c.Egress, 2*4*0.02+2*4*0.03, 1e-12)
	if c.Slow != 0 || c.Full != 0 || l.GPUs() != 6 {
		t.Errorf("stage %d sets the pace, stage %d is full, %d GPUs", c.Slow, c.Full, l.GPUs())
	}
}

// What cannot be is told.
func TestImpossibleLayouts(t *testing.T) {
	m := Model{Profile: small(t), Links: fastLinks(1), Runtime: Runtime{Compute: 1}}
	one := Place{"fast", "a", 2, 1}
	for want, l := range map[string]Layout{
		"0 stages":                         {Micro: 1, Batch: 1},
		"layer 4, expected one of 0 to 3":  {Micro: 1, Batch: 1, Stages: []Stage{{[]int{4}, []Place{one}}}},
		"tensor parallelism 3 on a node":   {Micro: 1, Batch: 1, Stages: []Stage{{[]int{0}, []Place{{"fast", "a", 2, 3}}}}},
		"not profiled on quick":            {Micro: 1, Batch: 1, Stages: []Stage{{[]int{0}, []Place{{"quick", "a", 2, 1}}}}},
		"not profiled on fast with a micr": {Micro: 2, Batch: 2, Stages: []Stage{{[]int{0}, []Place{one}}}},
	} {
		if _, err := m.Cost(&l); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %q", err, want)
		}
	}
	if _, err := NewLinks(nil, nil).Curve(End{"a", "fast", 1}, End{"b", "fast", 1}); err == nil || !strings.Contains(err.Error(), "no link") {
		t.Error(err)
	}
}

// A fit finds the parameters that layouts were made with.
func TestFit(t *testing.T) {
	want := Runtime{Compute: 1.2, Exposed: 1.5, Sync: 2.5, BaseGB: 2, State: 5, Kept: 1.1}
	m := &Model{small(t), fastLinks(3), want}
	var rows []Measured
	for _, micro := range []int{4, 8, 16} {
		for _, n := range []int{1, 2, 3, 4} {
			for _, cut := range []int{0, 1, 2, 3} {
				place := Place{"fast", "a", 2, 1 + n%2}
				l := Layout{Micro: 1, Batch: micro * n, Stages: []Stage{{[]int{0, 1, 2, 3}[cut:], nil}}}
				if cut > 0 {
					l.Stages = []Stage{{[]int{0, 1, 2, 3}[:cut], nil}, l.Stages[0]}
				}
				for i := range l.Stages {
					for range n {
						l.Stages[i].Replicas = append(l.Stages[i].Replicas, place)
					}
				}
				c, err := m.Cost(&l)
				if err != nil {
					t.Fatal(err)
				}
				rows = append(rows, Measured{l, c.Step, c.Memory})
			}
		}
	}
	start := Runtime{Compute: 1, Exposed: 1, Sync: 1, BaseGB: 1, State: 4, Kept: 1}
	got, err := Fit(start, []string{"compute", "exposed", "sync"}, false, rows, func(int) *Model { return m })
	if err == nil {
		got, err = Fit(got, []string{"base_gb", "state", "kept"}, true, rows, func(int) *Model { return m })
	}
	if err != nil {
		t.Fatal(err)
	}
	near.Abs(t, "compute", got.Compute, want.Compute, 1e-3)
	near.Abs(t, "exposed", got.Exposed, want.Exposed, 1e-2)
	near.Abs(t, "sync", got.Sync, want.Sync, 2e-2)
	near.Abs(t, "base", got.BaseGB, want.BaseGB, 2e-2)
	near.Abs(t, "state", got.State, want.State, 2e-2)
	near.Abs(t, "kept", got.Kept, want.Kept, 2e-2)
	if _, err := Fit(start, []string{"bandwidth"}, false, rows, func(int) *Model { return m }); err == nil {
		t.Error("no error for a parameter that there is not")
	}
}

// GPUs returns how many GPUs the layout holds.
func (l *Layout) GPUs() int {
	n := 0
	for i := range l.Stages {
		for _, p := range l.Stages[i].Replicas {
			n += p.TP
		}
	}
	return n
}

// fastLinks returns links of one bandwidth, GB/s of 1e9 bytes, between fast GPUs of zone a, one or two together.
// Traffic is free.
func fastLinks(gbPerS float64) *Links {
	curves := map[[2]End]Curve{}
	for _, from := range []int{1, 2} {
		for _, to := range []int{1, 2} {
			curves[[2]End{{"a", "fast", from}, {"a", "fast", to}}] = Curve{0, 0, gbPerS}
		}
	}
	return NewLinks(curves, nil)
}
