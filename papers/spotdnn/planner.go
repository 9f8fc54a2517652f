package spotdnn

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/calibrate/ps"
	"github.com/marigram/marigram/policies/spotdnn"
	"github.com/marigram/marigram/sim"
)

// marketInputs is what spotDNN's strategies plan for: part of the inputs of
// several figures.
type marketInputs struct {
	Published string             `json:"published"`
	Form      string             `json:"form"`
	Without   []string           `json:"without"`        // instance types that are not offered
	SpotUSD   map[string]float64 `json:"spot_usd_per_h"` // in place of the profile's
	Quota     int                `json:"quota"`          // of every type, in place of the profile's
	// Ideal is by what factor the GPUs of an instance, each alone, are faster
	// than the instance: what CM-DARE+ adds up.
	Ideal   map[string]float64 `json:"ideal"`
	Assumed []assumedType      `json:"assumed"` // types that the profile does not have
}

type assumedType struct {
	Type    string  `json:"type"`
	GPUs    int     `json:"gpus"`
	Batch   int     `json:"batch_per_gpu"`
	Speed   float64 `json:"speed_samples_per_s"`
	SpotUSD float64 `json:"spot_usd_per_h"`
}

// planner plans and simulates.
type planner struct {
	profile  ps.Profile
	model    *ps.ASP   // what happens
	ideal    *ps.ASP   // what CM-DARE+ takes the instances to do
	onDemand []float64 // USD per hour, by type
}

func (m *marketInputs) planner() (*planner, error) {
	profile, coef, err := ps.Published(m.Published)
	if err != nil {
		return nil, err
	}
	form, err := ps.ParseForm(m.Form)
	if err != nil {
		return nil, err
	}
	p := &planner{profile: profile}
	for _, a := range m.Assumed {
		p.profile = append(p.profile, ps.ProfileRow{InstanceType: a.Type, GPUs: a.GPUs, BatchPerGPU: a.Batch,
			SpeedSamplesPerS: a.Speed, SpotUSDPerH: a.SpotUSD})
	}
	ideal := slices.Clone(p.profile)
	for i := range p.profile {
		r := &p.profile[i]
		if usd, ok := m.SpotUSD[r.InstanceType]; ok {
			r.SpotUSDPerH = usd
		}
		if m.Quota > 0 {
			r.Quota = m.Quota
		}
		if slices.Contains(m.Without, r.InstanceType) {
			r.Quota = 0
		}
		if factor, ok := m.Ideal[r.InstanceType]; ok {
			ideal[i].SpeedSamplesPerS *= factor
		}
		p.onDemand = append(p.onDemand, onDemandPrice(r.InstanceType))
	}
	if p.model, err = ps.NewASP(p.profile, coef, form, p.profile.Types()); err != nil {
		return nil, err
	}
	p.ideal, err = ps.NewASP(ideal, coef, form, p.profile.Types())
	return p, err
}

// onDemandPrice returns a price of the paper's Table III, NaN where it has none.
func onDemandPrice(instanceType string) float64 {
	type row struct {
		Type string  `col:"instance_type"`
		USD  float64 `col:"on_demand_usd_per_h"`
	}
	for _, r := range facts.Read[row]("spotdnn_table3") {
		if r.Type == instanceType {
			return r.USD
		}
	}
	return math.NaN()
}

// objective is a loss within a time.
type objective struct {
	Loss  float64 `json:"loss"`
	TimeS float64 `json:"time_s"`
}

func (p *planner) task(o objective) *spotdnn.Task {
	t := &spotdnn.Task{Model: p.model, From: math.Inf(1), To: o.Loss, Seconds: o.TimeS, Have: make([]int, len(p.profile))}
	for _, r := range p.profile {
		t.Free, t.USD = append(t.Free, r.Quota), append(t.USD, r.SpotUSDPerH)
	}
	return t
}

// plan returns the counts by type that a strategy of the paper takes. The paper's
// On-demand is spotDNN's plan at other prices.
func (p *planner) plan(strategy string, o objective) ([]int, error) {
	task := p.task(o)
	var search spotdnn.Strategy
	switch strategy {
	case "on-demand", "spotdnn":
		search = &spotdnn.Window{}
	case "cm-dare+":
		search = &spotdnn.Uncontended{}
		task.Model = p.ideal
	case "srifty+":
		search = &spotdnn.Exhaustive{}
	default:
		return nil, fmt.Errorf("strategy %q, expected on-demand, spotdnn, cm-dare+ or srifty+", strategy)
	}
	c := search.Search(task)
	if !c.Feasible {
		return nil, fmt.Errorf("%s has no plan for loss %v in %v s: %s", strategy, o.Loss, o.TimeS, c.Reason)
	}
	return slices.Clone(c.Counts), nil
}

// market is one in which all instances are to be had at once and nothing happens.
func (p *planner) market() (*sim.Market, error) {
	var hs []sim.Trace
	for _, r := range p.profile {
		hs = append(hs, sim.Trace{Pool: sim.Pool{Name: r.InstanceType, InstanceType: r.InstanceType,
			Quota: max(r.Quota, 1)},
			Prices: []sim.Price{{USD: r.SpotUSDPerH}}})
	}
	return sim.NewMarket(sim.Time(0).Add(48*time.Hour), hs)
}

// simulate trains on a fixed cluster and returns the seconds to the objective.
func (p *planner) simulate(counts []int, o objective) (float64, error) {
	return p.run(holds(counts), o)
}

// run trains under a policy and returns the seconds to the objective.
func (p *planner) run(policy sim.Policy, o objective) (float64, error) {
	m, err := p.market()
	if err != nil {
		return 0, err
	}
	w, err := sim.New(sim.Config{Market: m, Policy: policy, Jobs: []sim.Job{{Model: p.model,
		Objective: sim.Objective{Loss: o.Loss, Within: time.Duration(o.TimeS * 1e9)}, ParameterServers: 1}}})
	if err != nil {
		return 0, err
	}
	job := w.Run().Jobs[0]
	if !job.Finished {
		return 0, fmt.Errorf("loss %v is not reached under %s", o.Loss, policy.Name())
	}
	return job.Elapsed.Seconds(), nil
}

// usd returns the cost of a cluster, without the parameter server (Eq. 11).
func (p *planner) usd(strategy string, counts []int, seconds float64) float64 {
	perH := 0.0
	for i, k := range counts {
		price := p.profile[i].SpotUSDPerH
		if strategy == "on-demand" {
			price = p.onDemand[i]
		}
		if k > 0 {
			perH += float64(k) * price
		}
	}
	return perH * seconds / 3600
}

// holds is a policy that asks for a fixed cluster at the start.
type holds []int

func (holds) Name() string { return "holds" }

func (h holds) Decide(_ sim.View, plan *sim.Plan) { copy(plan.Jobs[0].Hold, h) }
