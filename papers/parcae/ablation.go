package parcae

import (
	"fmt"
	"slices"
	"strings"

	"github.com/marigram/marigram/calibrate/pipeline"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/papers"
	"github.com/marigram/marigram/sim"
)

// variant is a policy with settings, by the name that claims give it.
type variant struct {
	Name     string         `json:"name"`
	Policy   string         `json:"policy"`
	Settings map[string]any `json:"settings"`
}

// variants runs policies on one stretch of a market and calls report with what
// each trains, in units of what the first does.
func (w *world) variants(m *sim.Market, model sim.Model, all []variant, first, end int,
	report func(name string, times float64)) error {
	base := 0.0
	for i, v := range all {
		policy := func() (sim.Policy, error) { return (&spec.Policy{Name: v.Policy, Settings: v.Settings}).New() }
		samples, _, err := w.run(m, model, policy, first, end)
		if err != nil {
			return err
		}
		if i == 0 {
			base = samples
		}
		report(v.Name, samples/base)
	}
	return nil
}

// ladder reports how much faster training is with each part of Parcae
// (Fig. 13), in the world.
func ladder(f *papers.Figure) error {
	var in struct {
		Network  string    `json:"network"`
		Segments []string  `json:"segments"`
		World    world     `json:"world"`
		Ladder   []variant `json:"ladder"` // the first is what the others are compared with
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	model, err := migrating(in.Network)
	if err != nil {
		return err
	}
	trace := pipeline.ParcaeTrace()
	market, err := in.World.market(trace)
	if err != nil {
		return err
	}
	for _, s := range pipeline.ParcaeSegments() {
		if !slices.Contains(in.Segments, s.Name) {
			continue
		}
		err := in.World.variants(market, model, in.Ladder, s.First, s.End, func(name string, times float64) {
			if name != in.Ladder[0].Name {
				f.Report(strings.ToLower(s.Name)+"-"+name, times)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// drops is a made trace: instances of which some leave at random intervals, a
// few at once, and come back a few intervals later.
type drops struct {
	Intervals int    `json:"intervals"`
	Size      [2]int `json:"size"` // instances that leave at once, least and most
	Away      [2]int `json:"away"` // intervals until they are back
	Traces    int    `json:"traces"`
}

const purposeDrops sim.Purpose = sim.PurposeUser + 400

// trace returns the numbers of instances of one draw, with n drops in
// intervals of their own.
func (d *drops) trace(seed uint64, instances, events int) []int {
	dice := sim.Rand{Seed: seed}
	between := func(what, n int, bounds [2]int) int {
		return bounds[0] + dice.Intn(purposeDrops, uint64(what), uint64(n), bounds[1]-bounds[0]+1)
	}
	counts := make([]int, d.Intervals)
	for i := range counts {
		counts[i] = instances
	}
	hit := make([]bool, d.Intervals)
	for n := 0; events > 0; n++ {
		at := between(0, n, [2]int{1, d.Intervals - 1})
		if hit[at] {
			continue
		}
		hit[at] = true
		events--
		size := between(1, n, d.Size)
		for i := at; i < min(at+between(2, n, d.Away), d.Intervals); i++ {
			counts[i] = max(counts[i]-size, 0)
		}
	}
	return counts
}

// intensity reports how much faster proactive training is than reactive
// (Fig. 14), by the number of preemptions in the hour, and what the bound is: the
// fastest layouts at no cost.
func intensity(f *papers.Figure) error {
	var in struct {
		Network  string    `json:"network"`
		World    world     `json:"world"`
		Drops    drops     `json:"drops"`
		Events   []int     `json:"events"`
		Policies []variant `json:"policies"` // the first is what the others are compared with
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	model, err := migrating(in.Network)
	if err != nil {
		return err
	}
	for _, events := range in.Events {
		sum := map[string]float64{}
		for n := range in.Drops.Traces {
			counts := in.Drops.trace(uint64(n), in.World.Instances, events)
			market, err := in.World.market(counts)
			if err != nil {
				return err
			}
			err = in.World.variants(market, model, in.Policies, 0, len(counts),
				func(name string, times float64) { sum[name] += times })
			if err != nil {
				return err
			}
		}
		for _, v := range in.Policies[1:] {
			f.Report(fmt.Sprintf("%s-%d", v.Name, events), sum[v.Name]/float64(in.Drops.Traces))
		}
	}
	return nil
}
