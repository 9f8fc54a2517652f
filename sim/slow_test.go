package sim

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/internal/near"
)

// slowWorld is a run of a job on n machines of a pool for a number of hours.
func slowWorld(t testing.TB, n int, of *Slow, model Model, seed uint64, hours float64) *World {
	t.Helper()
	pool := Pool{Name: "own", OnDemand: true, Quota: n, Slow: of}
	m, err := NewMarket(At(hours*3600), []Trace{{Pool: pool, Prices: []Price{{USD: 1}}}})
	if err != nil {
		t.Fatal(err)
	}
	w, err := New(Config{Market: m, Policy: keeper(n), Seed: seed,
		Jobs: []Job{{Model: model, Objective: Objective{Within: time.Hour}}}})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// slowedShare is the share of the time that a run trained which slow machines took.
func slowedShare(x *Totals) float64 {
	of := &x.Jobs[0].Activities
	return float64(of[Slowed] / (of[Slowed] + of[Useful]))
}

// Fixed episodes, side by side: the slowest computes for all, and the slowest network; what nothing slows stays.
func TestSlowStep(t *testing.T) {
	numbers := near.Count(t)
	for name, c := range map[string]struct {
		of     Slow
		factor float64
	}{
		"one":        {Slow{Episodes: []Episode{{0, 0, Never, 1.5, 1}}}, 1.5},
		"two":        {Slow{Episodes: []Episode{{0, 0, Never, 1.5, 1}, {2, 0, Never, 1.2, 1}}}, 1.5},
		"one twice":  {Slow{Episodes: []Episode{{1, 0, Never, 1.5, 1}, {1, 0, Never, 1.2, 1}}}, 1.8},
		"network":    {Slow{Network: 0.25, Rest: 0.15, Episodes: []Episode{{0, 0, Never, 1, 3}}}, 1.5},
		"both":       {Slow{Network: 0.25, Rest: 0.15, Episodes: []Episode{{0, 0, Never, 2, 1}, {3, 0, Never, 1, 3}}}, 2.1},
		"for a time": {Slow{Episodes: []Episode{{0, At(3600), At(4 * 3600), 2, 1}}}, 1 / (1 - 3*0.5/10)},
	} {
		x := slowWorld(t, 4, &c.of, gangOf{n: 4, goal: 1e12}, 1, 10).Run()
		numbers.Rel(name, 1/(1-slowedShare(x)), c.factor, 1e-9)
		numbers.Rel(name+", held", x.Jobs[0].InstanceTime.Hours(), 40, 1e-12)
		numbers.Rel(name+", cost", x.Bill.OnDemand, 40, 1e-12)
	}
}

// poolsWorld is slowWorld with a pool of n/len(laws) machines for each law; nil: its machines are never slow.
func poolsWorld(t testing.TB, n int, laws []*Slow, model Model, policy Policy) *World {
	t.Helper()
	var all []Trace
	for p, of := range laws {
		pool := Pool{Name: fmt.Sprint("own-", p), OnDemand: true, Quota: n / len(laws), Slow: of}
		all = append(all, Trace{Pool: pool, Prices: []Price{{USD: 1}}})
	}
	m, err := NewMarket(At(10*3600), all)
	if err != nil {
		t.Fatal(err)
	}
	w, err := New(Config{Market: m, Policy: policy, Jobs: []Job{{Model: model, Objective: Objective{Within: time.Hour}}}})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// evenly holds the same number of instances of all pools, in pipelines if it is told.
type evenly struct {
	n                 int
	pipelines, stages int
}

func (evenly) Name() string { return "evenly" }

func (e evenly) Decide(_ View, plan *Plan) {
	for p := range plan.Jobs[0].Hold {
		plan.Jobs[0].Hold[p] = e.n / len(plan.Jobs[0].Hold)
	}
	plan.Jobs[0].Pipelines = e.pipelines
	plan.Jobs[0].Stages = e.stages
}

// Each pool of a job has shares of its own: a step is longer by the most that any machine makes it compute longer, and
// by the most that any makes it communicate longer.
func TestSlowPoolsOfOneJob(t *testing.T) {
	numbers := near.Count(t)
	law := func(network, rest, compute, slower float64) *Slow {
		return &Slow{Network: network, Rest: rest, Episodes: []Episode{{0, 0, Never, compute, slower}}}
	}
	for name, c := range map[string]struct {
		laws   []*Slow
		factor float64
	}{
		"first computes longest":      {[]*Slow{law(0.1, 0.1, 2, 1), law(0.5, 0.2, 3, 1)}, 1 + max(0.8*1, 0.3*2)},
		"second computes longest":     {[]*Slow{law(0.5, 0.2, 3, 1), law(0.1, 0.1, 2, 1)}, 1 + max(0.8*1, 0.3*2)},
		"networks":                    {[]*Slow{law(0.1, 0, 1, 9), law(0.5, 0, 1, 2)}, 1 + max(0.1*8, 0.5*1)},
		"one computes, one transfers": {[]*Slow{law(0.25, 0.25, 1.5, 1), law(0.75, 0, 1, 2)}, 1 + 0.5*0.5 + 0.75},
		"one is never slow":           {[]*Slow{law(0.5, 0, 3, 1), nil}, 1 + 0.5*2},
		"never slow first":            {[]*Slow{nil, law(0.5, 0, 3, 1)}, 1 + 0.5*2},
		"three":                       {[]*Slow{law(0.9, 0, 3, 1), law(0.2, 0.3, 2, 2), law(0, 0.9, 4, 1)}, 1 + 0.5 + 0.2},
	} {
		n := 2 * len(c.laws)
		w := poolsWorld(t, n, c.laws, gangOf{n: n, goal: 1e12}, evenly{n: n})
		numbers.Rel(name, 1/(1-slowedShare(w.Run())), c.factor, 1e-9)
	}
	// In pipelines of stages of both pools as well; asynchronous workers each have their own speed.
	laws := []*Slow{law(0.5, 0, 3, 1), law(0.1, 0, 2, 1)}
	laws[0].MicroBatches = 4
	laws[1].MicroBatches = 4
	w := poolsWorld(t, 4, laws, gangOf{n: 4, goal: 1e12}, evenly{4, 1, 4})
	numbers.Rel("a pipeline", 1/(1-slowedShare(w.Run())), 1+((0.5*2+0.9*1)+3*(0.5*2))/(4+3), 1e-9)
	w = poolsWorld(t, 4, laws, gangOf{n: 4, goal: 1e12}, evenly{n: 4})
	config := w.cfg
	config.Jobs[0].Model = asynchronous{gangOf{n: 4, goal: 1e12}}
	config.Jobs[0].ParameterServers = 1
	if err := w.Reset(config); err != nil {
		t.Fatal(err)
	}
	numbers.Rel("asynchronous", 1-slowedShare(w.Run()), (2+1/(1+0.5*2)+1/(1+0.9*1))/4, 1e-9)
	laws[1].MicroBatches = 5
	prices := []Price{{USD: 1}}
	traces := []Trace{
		{Pool: Pool{Name: "a", OnDemand: true, Slow: laws[0]}, Prices: prices},
		{Pool: Pool{Name: "b", OnDemand: true, Slow: laws[1]}, Prices: prices},
	}
	if _, err := NewMarket(At(1), traces); err == nil || !strings.Contains(err.Error(), "5 micro-batches, expected 4") {
		t.Errorf("two numbers of micro-batches: %v", err)
	}
}

// A job ends exactly when what its machines let it do has reached the goal, and the sum of the activities is the time
// held.
func TestSlowEnd(t *testing.T) {
	of := &Slow{Episodes: []Episode{{1, At(100), At(300), 4, 1}}}
	x := slowWorld(t, 2, of, gangOf{n: 2, goal: 1000}, 1, 10).Run()
	job := &x.Jobs[0]
	near.Abs(t, "end", job.Elapsed.Seconds(), 1000+150, 1e-6)
	near.Abs(t, "slowed", job.Activities[Slowed].Seconds(), 2*150, 1e-5)
	near.Abs(t, "useful", job.Activities[Useful].Seconds(), 2*1000, 1e-5)
	sum := MachineTime(0)
	for _, spent := range job.Activities {
		sum += spent
	}
	near.Abs(t, "held", sum.Seconds(), job.InstanceTime.Seconds(), 1e-6)
}

// Transient episodes: some machine of n is slow for the share 1 - exp(-n x rate x mean length) of the time (M/G/inf), over
// 1,000 seeds within 3 standard errors.
func TestSlowShareOfTime(t *testing.T) {
	const n = 128
	const hours = 240
	const seeds = 1000
	perHour := 40.0 / 1000 / 24
	want := 1 - math.Exp(-n*perHour*0.4)
	of := &Slow{Network: 1, Laws: []SlowLaw{{PerHour: perHour, Mean: 24 * time.Minute, Median: 1, OnNetwork: true}}}
	sum := 0.0
	squares := 0.0
	w := slowWorld(t, n, of, gangOf{n: n, goal: 1e12}, 0, hours)
	config := w.cfg
	for seed := range seeds {
		config.Seed = uint64(seed)
		if err := w.Reset(config); err != nil {
			t.Fatal(err)
		}
		share := slowedTime(w)
		sum += share
		squares += share * share
	}
	mean := sum / seeds
	deviation := math.Sqrt((squares/seeds - mean*mean) / seeds)
	t.Logf("share of slowed time %.5f, expected %.5f, standard error %.5f", mean, want, deviation)
	near.Abs(t, "share of slowed time", mean, want, 3*deviation)
}

// slowedTime runs a world, and returns the share of its time in which its job is slowed.
func slowedTime(w *World) float64 {
	slowed := Time(0)
	for {
		at := min(w.timers.next(), w.end)
		if w.jobs[0].rate.Slowed > 0 {
			slowed += at - w.now
		}
		if !w.RunUntil(at) || at >= w.end {
			return float64(slowed) / float64(w.end)
		}
	}
}

// Machines that are slow from the start: their share, by seeds.
func TestSlowBadMachines(t *testing.T) {
	const n = 400
	of := &Slow{Laws: []SlowLaw{{BadShare: 0.05, Times: []SlowTimes{{1.1, 1}}}}}
	bad := 0
	for seed := range 50 {
		w := slowWorld(t, n, of, gangOf{n: n, goal: 1e12}, uint64(seed), 1)
		w.Run()
		for k := range w.slow.machines[1:] {
			if w.slow.machines[1+k].compute > 1 {
				bad++
			}
		}
	}
	near.Abs(t, "bad machines", float64(bad)/50/n, 0.05, 4*math.Sqrt(0.05*0.95/(50*n)))
}

// Two policies meet the same machines: how many others there are does not change what a machine draws.
func TestSlowDraws(t *testing.T) {
	of := &Slow{Laws: []SlowLaw{{PerHour: 0.1, Mean: 10 * time.Hour, Median: 0.5, Sigma: 1}}}
	factors := func(n int) string {
		w := slowWorld(t, 30, of, gangOf{n: n, goal: 1e12}, 5, 50)
		w.cfg.Policy = keeper(n)
		w.RunUntil(At(40 * 3600))
		text := ""
		for i := range w.inst[:10] {
			text += fmt.Sprintf("%v ", w.slow.machines[1+i].compute)
		}
		return text
	}
	if few, many := factors(10), factors(30); few != many {
		t.Errorf("10 machines of 10 are %s\nof 30 %s", few, many)
	}
}

// A run in which machines become slow has no new memory after the first.
func TestSlowMemory(t *testing.T) {
	for _, do := range []SlowDo{SlowSkiRental, SlowEscalate} {
		of := &Slow{Laws: []SlowLaw{{PerHour: 1, Mean: time.Hour, Median: 1}}, Do: do, SeenFrom: 1, Cost: time.Minute,
			FalsePerDay: 1, Move: time.Second, MicroBatches: 5}
		w := poolsWorld(t, 8, []*Slow{of}, gangOf{n: 8, restart: time.Minute, goal: 1e12}, evenly{8, 4, 2})
		config := w.cfg
		w.Run()
		if allocations := testing.AllocsPerRun(20, func() {
			if err := w.Reset(config); err != nil {
				t.Fatal(err)
			}
			w.RunUntil(At(9 * 3600))
		}); allocations > 0 {
			t.Errorf("reaction %d: %v allocations in a run", do, allocations)
		}
	}
}

// A fork goes on as its run does.
func TestSlowFork(t *testing.T) {
	for _, do := range []SlowDo{SlowReplace, SlowEscalate} {
		of := &Slow{Laws: []SlowLaw{{PerHour: 0.2, Mean: time.Hour, Median: 0.5, Sigma: 1}}, Do: do, SeenFrom: 1.2,
			SeenAfter: time.Minute, FalsePerDay: 1, Cost: time.Minute}
		w := slowWorld(t, 8, of, gangOf{n: 8, restart: time.Minute, goal: 1e12}, 3, 100)
		w.RunUntil(At(50 * 3600))
		var fork World
		w.Fork(&fork, keeper(8))
		first := fmt.Sprint(*fork.Run())
		if second := fmt.Sprint(*w.Run()); first != second {
			t.Errorf("reaction %d: the fork ends with\n%s\nits run with\n%s", do, first, second)
		}
	}
}

// Keep, replace and ski rental on one episode of some length: what each loses is arithmetic, and ski rental never loses
// more than twice what the better of the others does in hindsight.
func TestSlowDo(t *testing.T) {
	const restart = 600
	const seen = 300
	const factor = 2.0211
	share := 1 - 1/factor
	numbers := near.Count(t)
	for _, length := range []float64{100, 400, 1000, 1185, 1190, 1500, 4000, 40000} {
		lost := map[SlowDo]float64{}
		for _, do := range []SlowDo{SlowKeep, SlowReplace, SlowSkiRental} {
			of := &Slow{Do: do, SeenAfter: seen * time.Second, SeenFrom: 1.43, Cost: restart * time.Second,
				Episodes: []Episode{{0, At(1000), At(1000 + length), factor, 1}}}
			x := slowWorld(t, 16, of, gangOf{n: 16, restart: restart * time.Second, goal: 1e6}, 1, 1000).Run()
			lost[do] = x.Jobs[0].Elapsed.Seconds() - 1e6
		}
		replaced := share * length
		if length > seen {
			replaced = share*seen + restart
		}
		rented := share * length
		if rented > restart {
			rented = 2 * restart
		}
		numbers.Abs(fmt.Sprint("keep ", length), lost[SlowKeep], share*length, 1e-3)
		numbers.Abs(fmt.Sprint("replace ", length), lost[SlowReplace], replaced, 1e-3)
		numbers.Abs(fmt.Sprint("ski rental ", length), lost[SlowSkiRental], rented, 1e-3)
		numbers.Above(lost[SlowSkiRental]/min(share*length, restart), 2+1e-5)
		if lost[SlowSkiRental] > (2+1e-5)*min(share*length, restart) {
			t.Errorf("an episode of %v s: ski rental loses %v s, more than twice the best in hindsight", length, lost[SlowSkiRental])
		}
	}
}

// piper lays its job out in pipelines of stages.
type piper struct{ pipelines, stages int }

func (piper) Name() string { return "piper" }

func (p piper) Decide(_ View, plan *Plan) {
	plan.Jobs[0].Hold[0] = p.pipelines * p.stages
	plan.Jobs[0].Pipelines = p.pipelines
	plan.Jobs[0].Stages = p.stages
}

// asynchronous is a gangOf whose workers do not wait for each other.
type asynchronous struct{ gangOf }

func (asynchronous) NeedsServers() bool                                     { return true }
func (asynchronous) Workers(int, float64, []Worker)                         {}
func (asynchronous) WorkerBounds(float64, float64, float64) (low, high int) { return 1, 1 }
func (asynchronous) Estimate(Tally, float64, float64) (estimate Estimate)   { return estimate }

// Pipelines: a slow stage costs (p - 1 + m f) / (p - 1 + m); slow workers of two pipelines cost as one, of one pipeline
// more. Asynchronous workers do not wait.
func TestSlowPipelines(t *testing.T) {
	numbers := near.Count(t)
	const m = 8
	const f = 1.5
	for name, c := range map[string]struct {
		slow    []int // of 3 x 4 places, pipeline by pipeline
		batches int
		factor  float64
	}{
		"one":             {[]int{5}, m, (3 + m*f) / (3 + m)},
		"two pipelines":   {[]int{5, 10}, m, (3 + m*f) / (3 + m)},
		"same pipeline":   {[]int{5, 6}, m, (2 + f + m*f) / (3 + m)},
		"many batches":    {[]int{5}, 1e9, f},
		"without number":  {[]int{5, 6}, 0, f},
		"one micro-batch": {[]int{0, 1, 2, 3}, 1, f},
	} {
		of := &Slow{MicroBatches: c.batches}
		for _, machine := range c.slow {
			of.Episodes = append(of.Episodes, Episode{machine, 0, Never, f, 1})
		}
		w := slowWorld(t, 12, of, gangOf{n: 12, goal: 1e12}, 1, 10)
		config := w.cfg
		config.Policy = piper{3, 4}
		if err := w.Reset(config); err != nil {
			t.Fatal(err)
		}
		numbers.Rel(name, 1/(1-slowedShare(w.Run())), c.factor, 1e-8)
	}
	of := &Slow{Episodes: []Episode{{0, 0, Never, 2, 1}}}
	w := slowWorld(t, 4, of, gangOf{n: 4, goal: 1e12}, 1, 10)
	config := w.cfg
	config.Jobs[0].Model = asynchronous{gangOf{n: 4, goal: 1e12}}
	config.Jobs[0].ParameterServers = 1
	if err := w.Reset(config); err != nil {
		t.Fatal(err)
	}
	x := w.Run()
	numbers.Rel("asynchronous", 1-slowedShare(x), (3+0.5)/4, 1e-9)
}

// A server that is replaced is repaired, and is not slow any more then; without a repair the next job gets it.
func TestSlowServer(t *testing.T) {
	for repair, want := range map[time.Duration]float64{time.Hour: 1, 0: 1.5} {
		of := &Slow{Whole: true, Laws: []SlowLaw{{BadShare: 1, Times: []SlowTimes{{1.5, 1}}}}, Do: SlowReplace, SeenFrom: 1.1,
			SeenAfter: time.Minute, Repair: repair}
		w := slowWorld(t, 8, of, gangOf{n: 8, goal: 1e12}, 1, 10)
		w.RunUntil(At(2 * 3600))
		if factor := w.slow.machines[0].compute; factor != want {
			t.Errorf("repair %v: factor %v after it, expected %v", repair, factor, want)
		}
		x := w.Run()
		if repair > 0 {
			near.Rel(t, "held", x.Jobs[0].InstanceTime.Hours(), 8*9, 1e-9)
			near.Rel(t, "slowed", x.Jobs[0].Activities[Slowed].Seconds(), 8*60*(1-1/1.5), 1e-6)
		}
		if repair > 0 && x.Replaced != 1 {
			t.Errorf("%d replaced, expected 1", x.Replaced)
		}
	}
}
