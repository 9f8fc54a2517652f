package sim

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/marigram/marigram/internal/near"
)

// slowPlace is a machine of a layout with its factors of computing and of its network.
type slowPlace struct{ compute, network float64 }

// slowLayout is pipelines of stages, and what becomes of their machines; one stage is data-parallel training.
type slowLayout struct {
	pipelines, stages, microBatches int
	exposed, rest                   float64
	slow                            map[int]slowPlace // by place, pipeline by pipeline
	of                              []int             // micro-batches of each pipeline; nil: microBatches
}

// stepTime is the time of a step in which each of the micro-batches passes the stages of its pipeline one after the
// other, and a stage takes one at a time; then gradients pass the slowest link, and the rest follows. Fast machines take
// a time of 1.
func (x *slowLayout) stepTime() float64 {
	micro := (1 - x.exposed - x.rest) / float64(x.microBatches+x.stages-1)
	computed := 0.0
	network := 1.0
	for d := range x.pipelines {
		free := make([]float64, x.stages) // when a stage is free
		for k := range x.stages {
			network = max(network, x.slow[d*x.stages+k].network)
		}
		batches := x.microBatches
		if x.of != nil {
			batches = x.of[d]
		}
		for range batches {
			at := 0.0
			for k := range free {
				factor := 1.0
				if place, is := x.slow[d*x.stages+k]; is {
					factor = place.compute
				}
				at = max(at, free[k]) + micro*factor
				free[k] = at
			}
		}
		computed = max(computed, free[x.stages-1])
	}
	return computed + x.exposed*network + x.rest
}

// law is that of a pool whose n-th machine is the n-th place.
func (x *slowLayout) law() *Slow {
	of := &Slow{Network: x.exposed, Rest: x.rest, MicroBatches: x.microBatches}
	for at := range x.pipelines * x.stages {
		if place, is := x.slow[at]; is {
			of.Episodes = append(of.Episodes, Episode{at, 0, Never, place.compute, place.network})
		}
	}
	return of
}

// world is a run of the layout under a law.
func (x *slowLayout) world(t *testing.T, law *Slow) *World {
	n := x.pipelines * x.stages
	policy := evenly{n: n}
	if x.stages > 1 {
		policy.pipelines = x.pipelines
		policy.stages = x.stages
	}
	return poolsWorld(t, n, []*Slow{law}, gangOf{n: n, goal: 1e12}, policy)
}

// simulated is the time of a step in a run.
func (x *slowLayout) simulated(t *testing.T) float64 {
	return 1 / (1 - slowedShare(x.world(t, x.law()).Run()))
}

// after is the time of a step an hour after a reaction to all slow machines.
func (x *slowLayout) after(t *testing.T, do SlowDo) float64 {
	law := x.law()
	law.Do = do
	law.SeenFrom = 1
	w := x.world(t, law)
	w.RunUntil(At(3600))
	return 1 / (1 - w.jobs[0].rate.Slowed)
}

// drawLayout draws a layout with some slow machines.
func drawLayout(draws *rand.Rand, pipelines, stages, microBatches int) slowLayout {
	x := slowLayout{
		pipelines:    1 + draws.IntN(pipelines),
		stages:       1 + draws.IntN(stages),
		microBatches: 1 + draws.IntN(microBatches),
		exposed:      draws.Float64() / 2,
		rest:         draws.Float64() / 2,
		slow:         map[int]slowPlace{},
	}
	for range draws.IntN(6) {
		x.slow[draws.IntN(x.pipelines*x.stages)] = slowPlace{1 + draws.ExpFloat64(), 1 + draws.ExpFloat64()}
	}
	return x
}

// What a synchronous step loses, by the layout: the table of what fixed episodes cost, by its formulas, by the engine and
// micro-batch by micro-batch.
func TestSlowTable(t *testing.T) {
	numbers := near.Count(t)
	at := func(compute, network float64, places ...int) map[int]slowPlace {
		slow := map[int]slowPlace{}
		for _, place := range places {
			slow[place] = slowPlace{compute, network}
		}
		return slow
	}
	const f = 1.7
	for name, c := range map[string]struct {
		layout slowLayout
		want   float64
	}{
		"data-parallel, one":           {slowLayout{8, 1, 4, 0, 0, at(f, 1, 3), nil}, f},
		"data-parallel, three":         {slowLayout{8, 1, 4, 0, 0, at(f, 1, 1, 3, 6), nil}, f},
		"data-parallel, all":           {slowLayout{3, 1, 4, 0, 0, at(f, 1, 0, 1, 2), nil}, f},
		"with network and rest":        {slowLayout{8, 1, 4, 0.25, 0.15, at(f, 1, 3), nil}, 0.6*f + 0.4},
		"a slow link":                  {slowLayout{8, 1, 4, 0.25, 0.15, at(1, 3, 3), nil}, 1 + 0.25*2},
		"two slow links":               {slowLayout{8, 1, 4, 0.25, 0.15, at(1, 3, 3, 4), nil}, 1 + 0.25*2},
		"machine and link":             {slowLayout{8, 1, 4, 0.25, 0.15, at(f, 3, 3), nil}, 0.6*f + 0.25*3 + 0.15},
		"one slow stage":               {slowLayout{1, 4, 8, 0, 0, at(f, 1, 2), nil}, (3 + 8*f) / 11},
		"one stage, one micro-batch":   {slowLayout{1, 4, 1, 0, 0, at(f, 1, 2), nil}, (3 + f) / 4},
		"many micro-batches":           {slowLayout{1, 4, 1e6, 0, 0, at(f, 1, 2), nil}, (3 + 1e6*f) / (3 + 1e6)},
		"two in one pipeline":          {slowLayout{3, 4, 8, 0, 0, at(f, 1, 4, 6), nil}, (2 + 2*f + 7*f) / 11},
		"two in two pipelines":         {slowLayout{3, 4, 8, 0, 0, at(f, 1, 4, 9), nil}, (3 + 8*f) / 11},
		"last stages of all pipelines": {slowLayout{3, 4, 8, 0, 0, at(f, 1, 3, 7, 11), nil}, (3 + 8*f) / 11},
		"pipelines, a slow link":       {slowLayout{3, 4, 8, 0.2, 0.1, at(f, 2, 5), nil}, 0.7*(3+8*f)/11 + 0.2*2 + 0.1},
	} {
		numbers.Rel(name, c.layout.simulated(t), c.want, 1e-9)
		if c.layout.microBatches < 1e3 {
			numbers.Rel(name+", micro-batch by micro-batch", c.layout.stepTime(), c.want, 1e-9)
		}
	}
	// A tensor-parallel group is as slow as its slowest member: of one server, all of it; of several instances, as one.
	for name, groups := range map[string][]*Slow{
		"a group on a server":   {{Whole: true, Episodes: []Episode{{0, 0, Never, f, 1}}}, nil},
		"a group of instances":  {{Episodes: []Episode{{0, 0, Never, 1.2, 1}, {2, 0, Never, f, 1}}}, nil},
		"groups of two servers": {{Whole: true, Episodes: []Episode{{0, 0, Never, f, 1}}}, {Whole: true}},
	} {
		w := poolsWorld(t, 8, groups, gangOf{n: 8, goal: 1e12}, evenly{n: 8})
		numbers.Rel(name, 1/(1-slowedShare(w.Run())), f, 1e-9)
	}
}

// Drawn layouts: the engine takes the time that micro-batches take one by one.
func TestSlowDrawnLayouts(t *testing.T) {
	numbers := near.Count(t)
	for seed := range uint64(300) {
		draws := rand.New(rand.NewPCG(seed, 27))
		x := drawLayout(draws, 4, 5, 20)
		numbers.Rel(fmt.Sprintf("seed %d: %+v", seed, x), x.simulated(t), x.stepTime(), 1e-9)
	}
}

// shortest is the time of the shortest step of all ways to share the micro-batches.
func (x *slowLayout) shortest() float64 {
	x.of = make([]int, x.pipelines)
	best := math.Inf(1)
	var share func(d, left int)
	share = func(d, left int) {
		if d == x.pipelines-1 {
			x.of[d] = left
			best = min(best, x.stepTime())
			return
		}
		for x.of[d] = 0; x.of[d] <= left; x.of[d]++ {
			share(d+1, left-x.of[d])
		}
	}
	share(0, x.pipelines*x.microBatches)
	return best
}

// Micro-batches that are shared by how slow pipelines, or workers, are: the step is the shortest that any share gives,
// and where any part can be had n/sum(1/f). To exchange places as well is never worse.
func TestSlowRebalance(t *testing.T) {
	numbers := near.Count(t)
	gained := 0
	for seed := range uint64(300) {
		draws := rand.New(rand.NewPCG(seed, 271))
		x := drawLayout(draws, 3, 4, 6)
		if seed%10 == 0 {
			x.slow[0] = slowPlace{1e4, 1} // so slow that it has nothing to do
		}
		rebalanced := x.after(t, SlowRebalance)
		numbers.Rel(fmt.Sprintf("seed %d: %+v", seed, x), rebalanced, x.shortest(), 1e-9)
		switch moved := x.after(t, SlowMove); {
		case moved > rebalanced*(1+1e-9):
			t.Errorf("seed %d: %+v: steps of %v after a move, %v before", seed, x, moved, rebalanced)
		case moved < rebalanced*(1-1e-6):
			gained++
		}
	}
	if gained == 0 {
		t.Error("no move makes any step shorter")
	}
	many := slowLayout{6, 1, 0, 0.2, 0.1, map[int]slowPlace{1: {1.5, 1}, 4: {3, 1}}, nil}
	numbers.Rel("any part", many.after(t, SlowRebalance), 0.3+0.7*6/(4+1/1.5+1/3.0), 1e-9)
	alone := slowLayout{1, 4, 8, 0, 0, map[int]slowPlace{1: {1.5, 1}}, nil}
	numbers.Rel("one pipeline", alone.after(t, SlowRebalance), alone.stepTime(), 1e-9)
	two := slowLayout{3, 2, 0, 0, 0, map[int]slowPlace{0: {2, 1}, 3: {2, 1}}, nil}
	numbers.Rel("two pipelines", two.after(t, SlowRebalance), 3/(1+0.5+0.5), 1e-9)
	numbers.Rel("moved together", two.after(t, SlowMove), 3/(1+1+0.5), 1e-9)
}

// What the reactions of several levels cost: a move stops the job for its time once; escalating shares at once, moves when
// as much is lost as that takes, and replaces when as much is lost as that costs.
func TestSlowEscalates(t *testing.T) {
	x := slowLayout{3, 2, 0, 0, 0, map[int]slowPlace{0: {2, 1}, 3: {2, 1}}, nil}
	const move = 100
	const cost = 600
	rebalanced := 1 - 2/3.0 // share of the time that is lost
	moved := 1 - 2.5/3
	for do, want := range map[SlowDo]func(at float64) float64{ // seconds of the job's time that are lost by an instant
		SlowMove:     func(at float64) float64 { return rebalanced + move + moved*(at-move-1) }, // after a second
		SlowEscalate: func(at float64) float64 { return min(rebalanced*at, move+move+moved*(at-move/rebalanced-move)) },
	} {
		law := x.law()
		law.Do = do
		law.SeenFrom = 1
		law.Move = move * time.Second
		law.Cost = cost * time.Second
		w := x.world(t, law)
		for _, at := range []float64{290, 1000, 3000} {
			w.RunUntil(At(at))
			near.Abs(t, fmt.Sprintf("reaction %d, lost by %v s", do, at), at-w.jobs[0].progress(w.now), want(at), 1e-3)
			if w.totals.Replaced > 0 {
				t.Fatalf("reaction %d: %d replaced by %v s", do, w.totals.Replaced, at)
			}
		}
		w.RunUntil(At(4000))
		if replaced := w.totals.Replaced; do == SlowEscalate && replaced == 0 || do == SlowMove && replaced > 0 {
			t.Errorf("reaction %d: %d replaced", do, replaced)
		}
	}
}

// False alarms come at their rate, at the same instants whatever is done about others; only who replaces pays for them.
func TestSlowFalseAlarms(t *testing.T) {
	const n = 20
	const rate = 0.5
	const hours = 240
	const seeds = 1000
	of := &Slow{FalsePerDay: rate, SeenFrom: 1.5, Do: SlowReplace}
	sum := 0.0
	for seed := range uint64(seeds) {
		w := slowWorld(t, n, of, gangOf{n: n, restart: time.Minute, goal: 1e12}, seed, hours)
		sum += float64(w.Run().Replaced)
	}
	want := n * rate * hours / 24 // of an always training job, which a restart is not seen in
	want /= 1 + want/hours/60
	near.Abs(t, "false alarms", sum/seeds, want, 3*math.Sqrt(want/seeds))
	// Machines of servers go on drawing whatever is done: the first alarm is the same under each number of them.
	first := func(machines int) (at []Time) {
		var laws []*Slow
		for range machines {
			laws = append(laws, &Slow{Whole: true, FalsePerDay: rate, SeenFrom: 1.5, Do: SlowReplace})
		}
		w := poolsWorld(t, machines, laws, gangOf{n: machines, goal: 1e12}, evenly{n: machines})
		for range 3 {
			at = append(at, w.slow.events[slices.IndexFunc(w.slow.events, func(e machineEvent) bool { return e.machine == int32(len(at)) })].at)
		}
		return at
	}
	if few, many := first(3), first(9); !slices.Equal(few, many) {
		t.Errorf("first alarms of three of 3 machines at %v, of 9 at %v", few, many)
	}
	for _, do := range []SlowDo{SlowKeep, SlowSkiRental, SlowRebalance, SlowMove, SlowEscalate} {
		other := *of
		other.Do = do
		x := slowWorld(t, n, &other, gangOf{n: n, goal: 1e12}, 3, hours).Run()
		if x.Replaced > 0 || x.Jobs[0].Activities[Slowed] > 0 {
			t.Errorf("reaction %d: %d replaced, %v slowed", do, x.Replaced, x.Jobs[0].Activities[Slowed])
		}
	}
	if late := slowWorld(t, n, of, gangOf{n: n, restart: time.Minute, goal: 1}, 3, hours).Run().Replaced; late > 0 {
		t.Errorf("%d replaced of a job that is done", late)
	}
}
