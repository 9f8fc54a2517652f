package sim

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// flat is a model that trains at one rate on any layout.
type flat struct{}

func (flat) Rate(*Layout) Rate                               { return Rate{Progress: 1} }
func (flat) Begin(*Layout) float64                           { return 0 }
func (flat) Goal(float64) float64                            { return 1e9 }
func (flat) Loss(x float64) float64                          { return 1 / x }
func (flat) Change(*Change) Pause                            { return Pause{} }
func (flat) SaveTime(*Layout) (stall, persist time.Duration) { return 0, 0 }

// fickle wants random numbers of instances whenever it is asked.
type fickle struct{ rand Rand }

func (fickle) Name() string { return "fickle" }

func (f fickle) Decide(v View, plan *Plan) {
	for j := range plan.Jobs {
		plan.Jobs[j].Drain = j > 0
		for p := range plan.Jobs[j].Hold {
			plan.Jobs[j].Hold[p] = f.rand.Intn(PurposeUser+Purpose(j), uint64(p), uint64(v.Now()), 4)
		}
	}
	plan.WakeIn(7 * time.Minute)
}

// TestMembersAndOffers holds the lists of the pools' instances and the set of
// pools to look at for requests against the instances and the requests
// themselves, after every minute of runs of two jobs on 70 pools, of counts and
// of machines.
func TestMembersAndOffers(t *testing.T) {
	for seed := range uint64(2) {
		m, err := NewMarket(Time(0).Add(6*time.Hour), unsteady(Rand{seed}))
		if err != nil {
			t.Fatal(err)
		}
		job := Job{Model: flat{}, Objective: Objective{Within: time.Hour}}
		w, err := New(Config{Market: m, Jobs: []Job{job, job}, Policy: fickle{Rand{seed}}, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		for at := Time(0); w.RunUntil(at); at = at.Add(time.Minute) {
			w.checkPools(t)
		}
		if x := w.Totals(); x.Grants < 1000 || x.Preemptions < 100 {
			t.Errorf("%d grants and %d preemptions: too quiet a world to show anything", x.Grants, x.Preemptions)
		}
	}
}

func (w *World) checkPools(t *testing.T) {
	t.Helper()
	for j := range w.jobs {
		w.jobs[j].checkNext(t)
	}
	for p := range w.pools {
		var held []int32
		for i := range w.inst {
			if x := &w.inst[i]; x.state != instanceUnused && int(x.pool) == p {
				held = append(held, int32(i))
			}
		}
		if got := w.membersOf(&w.pools[p]); !slices.Equal(got, held) {
			t.Fatalf("at %d: pool %d has instances %v, listed are %v", w.now, p, held, got)
		}
		offered := w.offers.bits[p>>6]>>(p&63)&1 == 1
		if w.pools[p].waiting > 0 && w.headroom(&w.pools[p]) && !offered {
			t.Fatalf("at %d: pool %d has room for requests that wait, and nobody will look", w.now, p)
		}
	}
}

// checkNext checks the workers of the next layout, which are counted one by one, against what is held.
func (s *jobState) checkNext(t *testing.T) {
	t.Helper()
	sum, differ := int32(0), int32(0)
	for p := range s.held {
		h := &s.held[p]
		if n := h.ready + h.noticedReady - h.drained; s.next[p] != n {
			t.Fatalf("pool %d: %d workers in the next layout, %d are held", p, s.next[p], n)
		}
		sum += s.next[p]
		if s.next[p] != s.layout.Workers[p] {
			differ++
		}
	}
	if s.workers != sum || s.differ != differ {
		t.Fatalf("%d workers, other ones in %d pools; expected %d and %d", s.workers, s.differ, sum, differ)
	}
}

// unsteady are 70 pools, more than a word has bits, that gain and lose an
// instance every few minutes; every third is a fleet of machines.
func unsteady(rand Rand) (hs []Trace) {
	for p := range uint64(70) {
		h := Trace{Pool: Pool{Name: fmt.Sprint(p), Quota: 4, Notice: 2 * time.Minute, NoticeMissing: 0.2,
			Boot: Boot{Median: time.Minute, Sigma: 0.3}, Victim: Victim(p % 3)}, Prices: []Price{{USD: 1}}}
		at := Time(0)
		for n := range uint64(100) {
			at = at.After(1 + 300*rand.Uniform(PurposeUser+10, p, n))
			if p%3 == 0 {
				h.Nodes = append(h.Nodes, NodeEvent{At: at, Node: int(n / 2 % 3), Up: n%2 == 0})
			} else {
				h.Capacity = append(h.Capacity, Capacity{At: at, N: rand.Intn(PurposeUser+11, p, n, 6)})
			}
		}
		hs = append(hs, h)
	}
	return hs
}
