package layout

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/sim"
)

// The rate of a held set is that of the best layout of it, whatever the pools it lies in, and nothing where no layout
// fits.
func TestTrainingRate(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 7))
	trains := 0
	for range 300 {
		m, pools, batch := random(r)
		want := Want{Goal: Goal(r.IntN(2))}
		twice := slices.Concat(pools, pools) // as on spot and on demand
		train, err := NewTraining(m, Job{Samples: 1000, Batch: batch, Max: 8, Moved: 3, Want: want}, twice)
		if err != nil {
			continue // a GPU that was not profiled
		}
		l := sim.Layout{Workers: make([]int32, len(twice))}
		for i, p := range pools {
			spot := r.IntN(p.Nodes + 1)
			l.Workers[i], l.Workers[len(pools)+i] = int32(spot), int32(p.Nodes-spot)
		}
		merged := map[Pool]int{}
		var set []Pool
		for _, p := range pools {
			key := Pool{GPU: p.GPU, Zone: p.Zone, Node: p.Node}
			if _, seen := merged[key]; !seen {
				merged[key] = len(set)
				set = append(set, p)
				continue
			}
			set[merged[key]].Nodes += p.Nodes
		}
		got := train.Rate(&l)
		plan, err := m.Best(set, batch, want)
		if err != nil {
			if got != (sim.Rate{}) {
				t.Errorf("%v: %+v, expected no rate", pools, got)
			}
			continue
		}
		trains++
		near.Rel(t, "rate", got.Progress, float64(batch)/plan.Step, 1e-12)
		near.Abs(t, "traffic", got.Traffic, plan.Egress/plan.Step, 1e-15)
	}
	if trains < 100 {
		t.Errorf("%d sets train, expected more", trains)
	}
}

// twoZones is a job on nodes of two fast GPUs in two zones, with links of 20 GB/s within a zone and 10 between, at 0.02
// USD/GB.
func twoZones(t testing.TB, replicated bool) *Training {
	t.Helper()
	curves := map[[2]End]Curve{}
	for _, a := range []string{"a", "b"} {
		for _, b := range []string{"a", "b"} {
			gb := 20.0
			if a != b {
				gb = 10
			}
			curves[[2]End{{a, "fast", 1}, {b, "fast", 1}}] = Curve{0, 0, gb}
		}
	}
	m := &Model{small(t), NewLinks(curves, map[[2]string]float64{{"a", "b"}: 0.02, {"b", "a"}: 0.02}), Runtime{Compute: 1, Sync: 1, State: 1, Kept: 1}}
	gpuMemory["fast"] = 100
	t.Cleanup(func() { delete(gpuMemory, "fast") })
	train, err := NewTraining(m, Job{Samples: 800, Batch: 8, Max: 8, Moved: 3, Restart: 100 * time.Second, Reconfigure: 60 * time.Second,
		Save: time.Second, Replicated: replicated}, []Pool{{GPU: "fast", Zone: "a", Node: 2}, {GPU: "fast", Zone: "b", Node: 2}})
	if err != nil {
		t.Fatal(err)
	}
	return train
}

// A change costs the stop, and the bytes that move at the speed and price of their link; a loss a restart, or with
// replicas the same.
func TestTrainingChange(t *testing.T) {
	change := func(a, b int32, lost int32, c, d int32) *sim.Change {
		return &sim.Change{From: &sim.Layout{Workers: []int32{a, b}}, To: &sim.Layout{Workers: []int32{c, d}}, Lost: lost}
	}
	// 150e6 parameters of four bytes, three times: 1.8 GB. All layouts here are data-parallel.
	const gb = 3 * 4 * 150e6 / 1e9
	m := twoZones(t, false)
	for _, n := range []int32{1, 2, 3} {
		if p, ok := m.Plan(&sim.Layout{Workers: []int32{n, 0}}); !ok || len(p.Stages) != 1 {
			t.Fatalf("%d nodes: %v", n, p.String())
		}
	}
	for name, x := range map[string]struct {
		m    *Training
		c    *sim.Change
		want sim.Pause
	}{
		"one comes in the zone":      {m, change(1, 0, 0, 2, 0), sim.Pause{Stall: 60*time.Second + gbTime(gb/20), As: sim.Reconfiguring}},
		"one comes from the other":   {m, change(1, 0, 0, 1, 1), sim.Pause{Stall: 60*time.Second + gbTime(gb/10), As: sim.Reconfiguring, USD: 0.02 * gb}},
		"one is given back":          {m, change(3, 0, 0, 2, 0), sim.Pause{Stall: 60 * time.Second, As: sim.Reconfiguring}},
		"nothing":                    {m, change(2, 0, 0, 2, 0), sim.Pause{}},
		"one is lost":                {m, change(2, 0, 1, 1, 0), sim.Pause{Stall: 100 * time.Second, As: sim.Restoring, Rollback: true}},
		"one is lost, another comes": {m, change(2, 0, 1, 2, 0), sim.Pause{Stall: 100 * time.Second, As: sim.Restoring, Rollback: true}},
		"lost with replicas": {twoZones(t, true), change(2, 0, 1, 1, 0),
			sim.Pause{Stall: 60 * time.Second, As: sim.Reconfiguring, DropStep: true}},
		"lost and replaced with replicas": {twoZones(t, true), change(2, 0, 1, 2, 0),
			sim.Pause{Stall: 60*time.Second + gbTime(gb/20), As: sim.Reconfiguring, DropStep: true}},
		"all lost":               {twoZones(t, true), change(2, 0, 2, 2, 0), sim.Pause{Stall: 100 * time.Second, As: sim.Restoring, Rollback: true}},
		"nobody can train after": {m, change(1, 0, 1, 0, 0), sim.Pause{}},
	} {
		got := x.m.Change(x.c)
		near.Abs(t, name+": USD", got.USD, x.want.USD, 1e-12)
		if got.USD = x.want.USD; got != x.want {
			t.Errorf("%s: %+v, expected %+v", name, got, x.want)
		}
	}
}

func gbTime(seconds float64) time.Duration { return time.Duration(math.Round(seconds * 1e9)) }

// steps holds what it says from each minute on.
type steps [][2]int

func (steps) Name() string { return "steps" }

func (s steps) Decide(v sim.View, plan *sim.Plan) {
	at := min(int(v.Now().Sub(v.Start())/time.Minute), len(s)-1)
	copy(plan.Jobs[0].Hold, s[at][:])
	plan.WakeIn(time.Minute - v.Now().Sub(v.Start())%time.Minute)
}

// In the world: time, traffic and moves of a job that goes from one node to two zones, to the microsecond and to the
// dollar.
func TestTrainingWorld(t *testing.T) {
	m := twoZones(t, false)
	var pools []sim.Trace
	for _, zone := range []string{"a", "b"} {
		pools = append(pools, sim.Trace{Pool: sim.Pool{Name: zone, Zone: zone, OnDemand: true, InstanceType: "x", Quota: 2}, Prices: []sim.Price{{USD: 36}}})
	}
	market, err := sim.NewMarket(sim.Time(0).Add(24*time.Hour), pools)
	if err != nil {
		t.Fatal(err)
	}
	w, err := sim.New(sim.Config{Market: market, Policy: steps{{1, 0}, {1, 1}},
		Jobs: []sim.Job{{Name: "job", Model: m, Objective: sim.Objective{Within: 12 * time.Hour}}}})
	if err != nil {
		t.Fatal(err)
	}
	totals := w.Run()
	one, both := m.Rate(&sim.Layout{Workers: []int32{1, 0}}), m.Rate(&sim.Layout{Workers: []int32{1, 1}})
	const gb = 1.8
	after := (800 - 60*one.Progress) / both.Progress // s of training on both
	want := 60 + 60 + gb/10 + after
	near.Abs(t, "time", totals.Jobs[0].Elapsed.Seconds(), want, 2e-6)
	near.Rel(t, "traffic and move", totals.Bill.Transfers, both.Traffic*after+0.02*gb, 1e-6)
	near.Rel(t, "of the job", totals.Jobs[0].Bill.Transfers, totals.Bill.Transfers, 1e-12)
	// A ring of two replicas, one in each zone, crosses twice, each time with 2 x 1/2 of 600 MB.
	near.Rel(t, "traffic of a step", both.Traffic/both.Iterations, 2*0.6*0.02, 1e-9)
	near.Rel(t, "instances", totals.Bill.OnDemand, 0.01*(want+want-60), 1e-6)
}

// Layouts that do not fit into memory never train: on no set does a plan need more than a GPU has.
func TestTrainingMemory(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 5))
	for range 300 {
		m, pools, batch := random(r)
		train, err := NewTraining(m, Job{Samples: 1000, Batch: batch, Max: 8, Moved: 3}, pools)
		if err != nil {
			continue
		}
		l := sim.Layout{}
		for _, p := range pools {
			l.Workers = append(l.Workers, int32(r.IntN(p.Nodes+1)))
		}
		plan, trains := train.Plan(&l)
		if rate := train.Rate(&l); trains != (rate.Progress > 0) {
			t.Fatalf("%v: trains %v at %v", l.Workers, trains, rate)
		}
		if trains && !fitsAll(m, &plan.Layout) {
			t.Errorf("%v: %s does not fit", l.Workers, plan.String())
		}
		used := make([]int, len(pools))
		copy(used, plan.Nodes)
		for i := range used {
			if trains && len(plan.Nodes) == len(pools) && used[i] > int(l.Workers[i]) {
				t.Errorf("%v: %d of pool %d", l.Workers, used[i], i)
			}
		}
	}
}
