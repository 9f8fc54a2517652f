package bound_test

import (
	"math"
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/layout"
	"github.com/marigram/marigram/calibrate/parallel"
	"github.com/marigram/marigram/calibrate/pipeline"
	"github.com/marigram/marigram/experiments/bound"
	"github.com/marigram/marigram/sim"
)

// anyCase draws a job on a market: late ones, and ones with capacity from the beginning; parameter
// servers with each form of the loss and of the begin, data-parallel jobs, pipelines; quotas over
// pools, queues, moves of state, a model that is too slow or too fast, a submission that is late.
func anyCase(t testing.TB, seed uint64) sim.Config {
	t.Helper()
	d := &draws{Rand: sim.Rand{Seed: seed}, n: 1 << 30}
	types := [][]string{{"g4dn.4xlarge", "p3.2xlarge", "p2.8xlarge", "p3.2xlarge", "g3.8xlarge"}, {"p2.8xlarge"}, {"p3.2xlarge", "p2.8xlarge"},
		{"p2.8xlarge", "p2.8xlarge"}}[int(d.below(4))]
	c := sim.Config{Seed: seed, Billing: billing(uint64(d.below(5)))}
	kind := int(d.below(5))
	if kind >= 3 {
		types = []string{"t", "t", "t", "t"}[:len(types)%5+min(len(types)/5, 1)]
	}
	hs := lateTraces(seed, types)
	if d.chance(0.25) {
		hs = mixedTraces(seed, types)
	}
	switch kind {
	case 3:
		c.Jobs = []sim.Job{drawnParallel(t, d, len(types))}
	case 4:
		c.Jobs = []sim.Job{drawnPipelines(t, d)}
	default:
		c.Jobs = []sim.Job{served(t, uint64(d.below(84)), types)}
	}
	var limits []sim.Limit
	for i := range hs {
		h := &hs[i]
		if h.Region = []string{"r", "s"}[i%2]; d.chance(0.1) {
			h.Wait, h.WaitSigma = time.Duration(d.below(900e9)), d.below(2)
		}
		if d.chance(0.05) {
			h.Length = time.Duration((600 + d.below(7000)) * 1e9)
		}
		if d.chance(0.05) {
			h.Until = sim.At(3600 + d.below(20000))
		}
		if d.chance(0.1) {
			h.Granularity = &sim.Granularity{Increment: time.Duration(d.below(2)) * time.Hour, Minimum: time.Duration(d.below(3)) * time.Minute}
		}
	}
	if d.chance(0.2) {
		limits = []sim.Limit{{Name: "some", Pools: []int{0, len(hs) - 1}[:min(len(hs), 2)], Instances: 1 + int(d.below(5))}}
	}
	m, err := sim.NewMarket(sim.At(7*3600), hs, limits...)
	if err != nil {
		t.Fatal(err)
	}
	c.Market = m
	if d.chance(0.3) {
		c.Moves = carry{}
	}
	if d.chance(0.3) {
		c.Speed = 0.6 + d.below(1)
	}
	if d.chance(0.2) {
		c.Start, c.Jobs[0].Submit = sim.At(d.below(1000)), time.Duration(d.below(1500e9))
	}
	if d.chance(0.7) {
		tighten(t, d, &c)
	}
	return c
}

// tighten sets the deadline to a few percent up to twice what the bound says is the fastest.
func tighten(t testing.TB, d *draws, c *sim.Config) {
	job := &c.Jobs[0]
	within := job.Objective.Within
	job.Objective.Within = 6 * time.Hour
	b, err := bound.Hindsight(*c)
	if err != nil {
		t.Fatal(err)
	}
	job.Objective.Within = within
	if x := d.below(1); !math.IsInf(b.Seconds, 1) && b.Seconds > 1 {
		job.Objective.Within = time.Duration(b.Seconds * (1.01 + 1.5*x*x) * 1e9)
	}
}

// carry takes a minute and a tenth of a dollar to carry state to another region.
type carry struct{}

func (carry) Move(_ *sim.Job, from, to *sim.Pool) sim.Move {
	if from.Region == to.Region {
		return sim.Move{}
	}
	return sim.Move{USD: 0.1, Time: time.Minute}
}

func drawnParallel(t testing.TB, d *draws, pools int) sim.Job {
	law := parallel.Law{Scaling: []parallel.Scaling{parallel.Strong, parallel.Weak}[int(d.below(2))], Alone: 2 + d.below(6), Exchange: d.below(0.6),
		Latency: d.below(0.2)}
	job := parallel.Job{Batch: 64 + d.below(512), Min: 1 + int(d.below(3)), Max: 4 + int(d.below(9)), Restart: time.Duration(d.below(200e9)),
		Resize: time.Duration(d.below(100e9)), Save: time.Duration(d.below(20e9)), Persist: time.Duration(d.below(60e9))}
	if d.chance(0.3) {
		job.Sizes = []int{2, 4}
	}
	job.Samples = job.Batch / law.Alone * (1000 + d.below(20000))
	laws := make([]parallel.Law, pools)
	for p := range laws {
		laws[p] = law
	}
	m, err := parallel.New(job, laws)
	if err != nil {
		t.Fatal(err)
	}
	return sim.Job{Model: m, Objective: sim.Objective{Within: time.Duration((1 + d.below(5)) * 3600e9)}}
}

func drawnPipelines(t testing.TB, d *draws) sim.Job {
	rule := []pipeline.LossRule{pipeline.LossRestarts, pipeline.LossCovered, pipeline.LossReinstantiated}[int(d.below(3))]
	var speeds []pipeline.LayoutSpeed
	for pipelines := 1; pipelines <= 3; pipelines++ {
		for stages := 1; stages <= 3; stages++ {
			if d.chance(0.6) || pipelines*stages == 2 {
				speeds = append(speeds, pipeline.LayoutSpeed{Pipelines: pipelines, Stages: stages, SamplesPerS: float64(pipelines*stages) * (0.4 + d.below(0.6))})
			}
		}
	}
	m, err := pipeline.New(1000+d.below(20000), 16, speeds, pipeline.Recovery{Loss: rule, Restart: time.Duration(d.below(120e9)),
		Reconfigure: time.Duration(d.below(60e9)), Save: time.Duration(d.below(20e9)), Slowdown: 1 + d.below(2)})
	if err != nil {
		t.Fatal(err)
	}
	return sim.Job{Model: m, Objective: sim.Objective{Within: time.Duration((1 + d.below(5)) * 3600e9)}}
}

// drawnLayouts is a job in layouts on instances of one or two GPUs, in two zones, with links of any speed and price.
func drawnLayouts(t testing.TB, seed uint64, types []string) sim.Job {
	d := &draws{Rand: sim.Rand{Seed: seed}, n: 1 << 31}
	gpus := []string{"x-16", "y-24"}
	sizes, times := map[int][]layout.Size{}, map[layout.Point][]layout.Time{}
	for range 2 + int(d.below(2)) {
		x := 0.5 + d.below(1)
		for tp := 1; tp <= 2; tp++ {
			sizes[tp] = append(sizes[tp], layout.Size{Params: 3e8 * x / float64(tp), Output: 1e7, Activations: 3e8 * x / float64(tp)})
			for g, gpu := range gpus {
				at := layout.Point{GPU: gpu, Micro: 1, TP: tp}
				times[at] = append(times[at], layout.Time{Forward: x / float64(tp+g), Backward: 2 * x / float64(tp+g), Update: 0.1})
			}
		}
	}
	p, err := layout.NewProfile("drawn", sizes, times)
	if err != nil {
		t.Fatal(err)
	}
	var pools []layout.Pool
	curves, egress := map[[2]layout.End]layout.Curve{}, map[[2]string]float64{}
	for i := range 2 * len(types) { // on demand, too
		pools = append(pools, layout.Pool{GPU: gpus[i%len(types)%2], Zone: []string{"a", "b"}[i%3%2], Node: 1 + i%len(types)%2})
	}
	for _, a := range pools {
		for _, b := range pools {
			speed, usd := 2.0, 0.0
			if a.Zone != b.Zone {
				speed, usd = 0.2, 0.02
			}
			egress[[2]string{a.Zone, b.Zone}] = usd
			curves[[2]layout.End{{Zone: a.Zone, GPU: a.GPU, GPUs: 1}, {Zone: b.Zone, GPU: b.GPU, GPUs: 1}}] = layout.Curve{0, 0, speed}
		}
	}
	links := layout.NewLinks(curves, egress)
	m, err := layout.NewTraining(&layout.Model{Profile: p, Links: links, Runtime: layout.Runtime{Compute: 1, Exposed: 1, Sync: 1, BaseGB: 1, State: 4, Kept: 1}},
		layout.Job{Samples: 1000 + d.below(20000), Batch: 16, Max: 16, Restart: time.Duration(d.below(200e9)), Reconfigure: time.Duration(d.below(100e9)),
			Save: time.Duration(d.below(20e9)), Persist: time.Duration(d.below(60e9)), Moved: 3, Replicated: d.chance(0.5)}, pools)
	if err != nil {
		t.Fatal(err)
	}
	return sim.Job{Model: m, Objective: sim.Objective{Within: time.Duration((1 + d.below(5)) * 3600e9)}}
}
