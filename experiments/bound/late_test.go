package bound_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/ps"
	"github.com/marigram/marigram/experiments/bound"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/sim"
)

// grow holds one instance until training has begun, and five from then on: where the begin is
// that of spotDNN's formula, one instance begins further on than five.
type grow struct{}

func (grow) Name() string { return "grow" }

func (grow) Decide(v sim.View, plan *sim.Plan) {
	plan.Jobs[0].Hold[0] = 1
	if v.Job(0).Begun() {
		plan.Jobs[0].Hold[0] = 5
	}
}

// Where capacity comes after half an hour, training can be set up for one instance then, and
// train on others one boot later. The bound once took all of the half hour for a part of the
// boot, and called objectives impossible that grow meets.
func TestOneInstanceBeginsLate(t *testing.T) {
	profile, coef, err := ps.Published("spotdnn-resnet110")
	if err != nil {
		t.Fatal(err)
	}
	model, err := ps.NewASP(profile, coef, ps.FormArtifact, []string{"p2.8xlarge"})
	if err != nil {
		t.Fatal(err)
	}
	h := pool("p2.8xlarge", 5, 2.16)
	h.Boot, h.Notice = sim.Boot{Median: 126 * time.Second}, 2*time.Minute
	h.Capacity = []sim.Capacity{{N: 0}, {At: sim.At(1800), N: 5}}
	for _, within := range []time.Duration{5600 * time.Second, 6000 * time.Second} {
		for _, speed := range []float64{0, 1.1} {
			job := sim.Job{Model: model, ParameterServers: 1, ParameterServerPrice: 0.192, Objective: sim.Objective{Loss: 0.8, Within: within}}
			c := sim.Config{Market: market(t, 8, h), Jobs: []sim.Job{job}, Policy: grow{}, Billing: sim.PerSecond(), Speed: speed}
			b, err := bound.Hindsight(c)
			if err != nil {
				t.Fatal(err)
			}
			total := runOf(t, c)
			usd, j := total.Bill.Total(), total.Jobs[0]
			if !j.Finished || j.Elapsed > within {
				t.Fatalf("within %v at speed %v: grow ends after %v, finished %v", within, speed, j.Elapsed, j.Finished)
			}
			if !(b.USD <= usd && b.USD > 0.7*usd && b.Seconds <= j.Elapsed.Seconds()) {
				t.Errorf("within %v at speed %v: grow pays %v USD and ends after %v, the bound is %+v", within, speed, usd, j.Elapsed, b)
			}
			t.Logf("within %v, speed %v: grow %.2f USD after %.0f s, bound %.2f USD, %.0f s", within, speed, usd, j.Elapsed.Seconds(), b.USD, b.Seconds)
		}
	}
}

// noReplacement holds one instance of the first pool and four of the second, until these come under
// notice.
type noReplacement struct{}

func (noReplacement) Name() string { return "no-replacement" }

func (noReplacement) Decide(v sim.View, plan *sim.Plan) {
	switch {
	case v.Trigger()&sim.TriggerStart != 0:
		plan.Jobs[0].Hold[0], plan.Jobs[0].Hold[1] = 1, 4
	case v.Trigger()&sim.TriggerNotice != 0:
		plan.Jobs[0].Hold[1] = 0
	}
}

// Instances that come under notice before they are ready are not what training is set up for, but
// train beside it: where there may be some, no job that begins on one instance is alone.
func TestInstancesUnderNoticeTrainToo(t *testing.T) {
	profile, coef, err := ps.Published("spotdnn-resnet110")
	if err != nil {
		t.Fatal(err)
	}
	model, err := ps.NewASP(profile, coef, ps.FormArtifact, []string{"p2.8xlarge", "p2.8xlarge"})
	if err != nil {
		t.Fatal(err)
	}
	stays, goes := pool("stays", 1, 2), pool("goes", 4, 2)
	stays.Boot, goes.Boot = sim.Boot{Median: 300 * time.Second}, sim.Boot{Median: 310 * time.Second}
	goes.Notice, goes.Capacity = 5*time.Minute, []sim.Capacity{{N: 4}, {At: sim.At(580), N: 0}}
	turns := goes // more machines come than go
	turns.Capacity, turns.Nodes = nil, nil
	for node := range 4 {
		turns.Nodes = append(turns.Nodes, sim.NodeEvent{Node: node, Up: true})
	}
	for node := range 9 {
		turns.Nodes = append(turns.Nodes, sim.NodeEvent{At: sim.At(580), Node: node, Up: node >= 4})
	}
	job := sim.Job{Model: model, ParameterServers: 1, Objective: sim.Objective{Loss: 1.38, Within: time.Hour}}
	for _, h := range []sim.Trace{goes, turns} {
		c := sim.Config{Market: market(t, 2, stays, h), Jobs: []sim.Job{job}, Policy: noReplacement{}}
		b, err := bound.Hindsight(c)
		if err != nil {
			t.Fatal(err)
		}
		total := runOf(t, c)
		j := total.Jobs[0]
		if !j.Finished || j.Elapsed > 580*time.Second || b.Contradicts(total.Bill.Total(), j.Elapsed.Seconds()) {
			t.Errorf("%d machines: the run ends after %v, finished %v, the bound is %+v", len(h.Nodes), j.Elapsed, j.Finished, b)
		}
	}
}

func runOf(t testing.TB, c sim.Config) *sim.Totals {
	t.Helper()
	w, err := sim.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return w.Run()
}

// A job that trains at half the speed of its model has the bound of a model that is half as
// fast; Lambda is in USD per unit of progress in both.
func TestSpeed(t *testing.T) {
	check := near.Count(t)
	const usd = 2
	at := func(speed, within float64) bound.Bound {
		b, err := bound.Hindsight(sim.Config{Market: market(t, 30, pool("p3.2xlarge", 1, usd)), Speed: speed,
			Jobs: []sim.Job{{Model: asp(t, 4.6, "p3.2xlarge"), ParameterServers: 1, Objective: sim.Objective{Loss: 0.8, Within: time.Duration(within * 1e9)}}}})
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	one := at(0, 1e5)
	for _, speed := range []float64{0.5, 1, 2} {
		b := at(speed, 1e5)
		for what, x := range map[string][2]float64{"USD": {b.USD, one.USD / speed}, "seconds": {b.Seconds, one.Seconds / speed},
			"progress": {b.Progress, one.Progress}, "USD of all progress": {b.Lambda * b.Progress, b.USD}} {
			if check.OffRel(x[0], x[1], 1e-6) {
				t.Errorf("speed %v: %s %v, expected %v", speed, what, x[0], x[1])
			}
		}
		if b := at(speed, one.Seconds/speed*0.999); b.Possible() {
			t.Errorf("speed %v: possible within 0.1 %% less than it takes: %+v", speed, b)
		}
	}
}

// lateTraces makes a market that begins without capacity, on demand too: each pool gets it
// at an instant of its own, and some lose it again.
func lateTraces(seed uint64, types []string) (hs []sim.Trace) {
	d := &draws{Rand: sim.Rand{Seed: seed}, n: 1 << 20}
	boot := sim.Boot{}
	if d.chance(0.85) {
		boot = sim.Boot{Median: time.Duration(1 + d.below(400e9)), Sigma: []float64{0, 0, 0.1, 0.6}[int(d.below(4))]}
	}
	together, changes := d.chance(0.3), d.chance(0.6)
	all := d.below(5400)
	for i, name := range types {
		h := sim.Trace{Pool: sim.Pool{Name: fmt.Sprint(name, i), InstanceType: name, Quota: 1 + int(d.below(7)), Boot: boot,
			Victim: sim.Victim(d.below(3)), OnDemand: i >= 3 || len(types) == 2 && i == 1}}
		if d.chance(0.5) {
			h.Notice, h.NoticeMissing = time.Duration(d.below(240))*time.Second, d.below(0.3)
		}
		if d.chance(0.2) {
			h.Boot.Median = time.Duration(1 + d.below(400e9))
		}
		comes := all
		if !together {
			comes = d.below(5400)
		}
		usd := 0.2 + d.below(3)
		h.Prices = []sim.Price{{USD: usd}}
		h.Capacity = []sim.Capacity{{N: 0}, {At: sim.At(comes), N: int(d.below(7))}}
		if changes && d.chance(0.5) && !h.OnDemand {
			every := 600 + d.below(6000)
			for at := comes + d.below(every); at < 7*3600; at += 1 + d.below(every) {
				h.Capacity = append(h.Capacity, sim.Capacity{At: sim.At(at), N: int(d.below(7))})
				h.Prices = append(h.Prices, sim.Price{At: sim.At(at), USD: usd * (0.6 + d.below(0.8))})
			}
		}
		if changes && d.chance(0.15) {
			h.Capacity, h.Nodes = nil, lateNodes(d, comes)
		}
		hs = append(hs, h)
	}
	return hs
}

// lateNodes are machines that come one by one, and take turns.
func lateNodes(d *draws, comes float64) (events []sim.NodeEvent) {
	grid := []float64{1, 600}[int(d.below(2))] // of the instants, at which several may change
	for node := range 4 {
		for at, up := comes+d.below(900), true; at < 7*3600; at += grid + d.below(6000) {
			events = append(events, sim.NodeEvent{At: sim.At(math.Ceil(at/grid) * grid), Node: node, Up: up})
			up = !up
		}
	}
	sortNodes(events)
	return events
}
