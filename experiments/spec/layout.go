package spec

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/marigram/marigram/calibrate/charges"
	"github.com/marigram/marigram/calibrate/layout"
	"github.com/marigram/marigram/calibrate/pipeline"
	"github.com/marigram/marigram/experiments/model"
	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/sim"
)

// samples returns the size of the job.
func (l *Layout) samples() float64 {
	if l.Steps > 0 {
		return l.Steps * float64(l.GlobalBatch)
	}
	return l.Samples
}

// openLayouts reads what model.layout refers to. Errors are those of model.At.
func (s *Spec) openLayouts() (*layouts, error) {
	if s.layouts != nil {
		return s.layouts, nil
	}
	l, out := s.Model.Layout, &layouts{models: map[string]*layout.Training{}}
	dir, err := s.folder(l.Profiles)
	if err == nil {
		out.set, err = layout.Open(dir)
	}
	if err != nil {
		return nil, model.At("profiles", err)
	}
	if out.profile, err = out.set.Profile(l.Network); err != nil {
		return nil, model.At("network", err)
	}
	if out.runtime, err = layout.RuntimeNamed(cmp.Or(l.Runtime, out.set.Runtime)); err != nil {
		return nil, model.At("runtime", err)
	}
	if x := l.Links; x != nil && (x.Tariff != "" || x.USDPerGB != nil) {
		if out.tariff, err = charges.TariffOf(x.USDPerGB, x.Tariff, s.Path(x.Tariff)); err != nil {
			return nil, model.At("links.tariff", err)
		}
	}
	if l.Links == nil && out.set.Links == nil {
		return nil, model.At("links", errors.New("the profiles have no measured links, expected zone_gb_per_s"))
	}
	out.job, err = s.layoutJob()
	s.layouts = out
	return out, err
}

// layoutJob returns what is trained, and what changes cost.
func (s *Spec) layoutJob() (j layout.Job, err error) {
	l := s.Model.Layout
	r, err := l.Recovery.Rules()
	switch x := &l.Recovery; {
	case err != nil:
		return j, model.At("recovery", err)
	case r.Loss != pipeline.LossRestarts && r.Loss != pipeline.LossReinstantiated:
		return j, model.At("recovery.loss", fmt.Errorf("%s: layouts of mixed GPUs have no neighbours that cover and no grid that is migrated, "+
			"expected restarts or reinstantiated", x.Loss))
	case x.Slowdown != 0 || x.Redundant != 0 || x.Copies != 0 || x.Migration != nil:
		return j, model.At("recovery", errors.New("slowdown, redundant, copies or migration, expected none: they are of pipelines of equal instances"))
	}
	j = layout.Job{Samples: l.samples(), Batch: l.GlobalBatch, Max: max(s.fleet(), 1), Restart: r.Restart, Reconfigure: r.Reconfigure, Save: r.Save,
		Persist: r.Persist, Interval: units.Seconds(l.IntervalS), Replicated: r.Loss == pipeline.LossReinstantiated, Moved: stats.Or(l.Moved, 3),
		Want: layout.Want{MaxUSD: l.MaxUSDPerStep, MaxStep: l.MaxStepS}}
	if l.Goal == "cost" {
		j.Want.Goal = layout.Cheapest
	}
	return j, nil
}

// node returns what an instance of a type is.
func (s *Spec) node(instanceType string) (layout.Pool, error) {
	l := s.Model.Layout
	k := slices.IndexFunc(l.GPUs, func(g LayoutGPUs) bool { return g.Type == instanceType })
	if k < 0 {
		var known []string
		for i := range l.GPUs {
			known = append(known, l.GPUs[i].Type)
		}
		return layout.Pool{}, fmt.Errorf("no GPU of instance type %q in model.layout.gpus; there are %s", instanceType, strings.Join(known, ", "))
	}
	g := &l.GPUs[k]
	usd := g.USDPerH
	for i := range s.Market.Pools {
		if p := &s.Market.Pools[i]; usd == 0 && p.Type == instanceType {
			usd = p.OnDemandUSDPerH
		}
	}
	if usd == 0 && (l.Goal == "cost" || l.MaxUSDPerStep > 0) {
		return layout.Pool{}, fmt.Errorf("no price of %s to compare layouts with, expected usd_per_h in model.layout.gpus, or on_demand_usd_per_h", instanceType)
	}
	return layout.Pool{GPU: g.GPU, Node: max(g.Count, 1), USDPerHour: usd}, nil
}

// at returns where a pool is: one on demand of an instance type is wherever the job is.
func (s *Spec) at(p *sim.Pool) charges.Place {
	if p.OnDemand && !s.OnDemandByRegion() {
		return charges.Place{}
	}
	return charges.Place{Cloud: p.Cloud, Region: p.Region, Zone: p.Zone}
}

// links returns the links between places, which are named by their zones where these are known.
func (s *Spec) links(x *layouts, pools []layout.Pool, places []charges.Place) (*layout.Links, error) {
	l := s.Model.Layout.Links
	if l == nil {
		known := x.set.Links.Zones()
		for i := range pools {
			if !slices.Contains(known, pools[i].Zone) {
				return nil, s.ErrorAt("$.model.layout", "links is missing, and no link of zone %q was measured, expected links, or zones of %s",
					pools[i].Zone, strings.Join(known, ", "))
			}
		}
		return x.set.Links, nil
	}
	curves, egress := map[[2]layout.End]layout.Curve{}, map[[2]string]float64{}
	for a, from := range pools {
		for b, to := range pools {
			gb := map[charges.Scope]float64{charges.SameZone: l.ZoneGBPerS, charges.SameRegion: l.RegionGBPerS}
			scope := charges.ScopeOf(places[a], places[b])
			speed, near := gb[scope]
			if !near {
				speed = l.BeyondGBPerS
			}
			if speed == 0 {
				continue
			}
			curves[[2]layout.End{{Zone: from.Zone, GPU: from.GPU, GPUs: 1}, {Zone: to.Zone, GPU: to.GPU, GPUs: 1}}] = layout.Curve{0, 0, speed}
			if usd := 0.0; x.tariff != nil {
				usd, err := x.tariff.USD(places[a], places[b], 1)
				if err != nil {
					return nil, err
				}
				egress[[2]string{from.Zone, to.Zone}] = usd
			} else {
				egress[[2]string{from.Zone, to.Zone}] = usd
			}
		}
	}
	return layout.NewLinks(curves, egress), nil
}

// layoutOn returns the model for pools.
func (s *Spec) layoutOn(at []sim.Pool) (*layout.Training, error) {
	x, err := s.openLayouts()
	if err != nil {
		return nil, err
	}
	var pools []layout.Pool
	var places []charges.Place
	var key strings.Builder
	for i := range at {
		node, err := s.node(at[i].InstanceType)
		if err != nil {
			return nil, err
		}
		place := s.at(&at[i])
		node.Zone = cmp.Or(place.Zone, place.Region)
		if s.Model.Layout.Links != nil {
			node.Zone = strings.Join([]string{place.Cloud, place.Region, place.Zone}, "/")
		}
		pools, places = append(pools, node), append(places, place)
		fmt.Fprintf(&key, "%s in %s, ", at[i].InstanceType, node.Zone)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if known := x.models[key.String()]; known != nil {
		return known, nil
	}
	links, err := s.links(x, pools, places)
	if err != nil {
		return nil, err
	}
	m, err := layout.NewTraining(&layout.Model{Profile: x.profile, Links: links, Runtime: x.runtime}, x.job, pools)
	if err == nil {
		x.models[key.String()] = m
	}
	return m, err
}

// openLayouted returns the model for a market's pools, and why its numbers may mislead.
func (s *Spec) openLayouted() (*model.Opened, error) {
	x, err := s.openLayouts()
	if err != nil {
		return nil, s.atPart("$.model.layout", "", err)
	}
	var warnings []string
	on := func(pools []sim.Pool) (sim.Model, error) { return s.layoutOn(pools) }
	if l := s.Model.Layout; l.Links != nil && x.tariff == nil && (l.Links.RegionGBPerS > 0 || l.Links.BeyondGBPerS > 0) {
		warnings = append(warnings, "model.layout.links has no tariff: traffic between zones is free")
	}
	if x.runtime.Name == layout.ProfilerRuntime {
		warnings = append(warnings, "model.layout: runtime torch: transfers and all-reduces were not measured: they take what links say, and nothing hides them")
	}
	if s.Model.Layout.Recovery.RestartS == nil {
		warnings = append(warnings, "model.layout.recovery.restart_s is absent: a restart takes no time (restart_s: 0 confirms it)")
	}
	warnings = append(warnings, s.warnMemory()...)
	return &model.Opened{On: on, Warnings: append(warnings, s.warnExposed()...)}, nil
}

// largestSet returns the instance types with as many instances as the quotas allow, and the model on them; nil where it
// cannot be made, which is said where models are made.
func (s *Spec) largestSet() (m *layout.Training, types []sim.Pool, held []int32) {
	for _, k := range s.TypeQuotas() {
		types, held = append(types, sim.Pool{InstanceType: k.Type}), append(held, int32(k.N))
	}
	if s.Model.Layout.Links == nil {
		for i := range types { // as zones know each other
			types[i].Zone = s.Market.Pools[0].Zone
		}
	}
	m, err := s.layoutOn(types)
	if err != nil {
		return nil, nil, nil
	}
	return m, types, held
}

// warnExposed says where the best layout of all that the quotas allow depends on how much of the transfers the training
// program hides, which was measured on two kinds of GPU only.
func (s *Spec) warnExposed() []string {
	m, _, held := s.largestSet()
	if m == nil {
		return nil
	}
	chosen, err := m.ByExposed(held)
	if err != nil || len(chosen) < 2 {
		return nil // no layout is said elsewhere
	}
	low, high := layout.ExposedRange()
	var parts []string
	for _, c := range chosen {
		parts = append(parts, fmt.Sprintf("from %.3g to %.3g %s (%.3g s a step at %.3g, %.3g s at %.3g)", c.From, c.To, c.Layout.String(), c.AtFrom.Step, low,
			c.AtTo.Step, high))
	}
	return []string{fmt.Sprintf("model.layout: the best layout of all that the quotas allow depends on the factor of transfers, exposed: %.3g was measured on "+
		"consumer GPUs, %.3g on GH200, runtime %s has %.3g: %s", low, high, s.layouts.runtime.Name, s.layouts.runtime.Exposed, strings.Join(parts, "; "))}
}

// maxFits is the most instances of a type that are tried to say what would fit.
const maxFits = 256

// warnMemory says where no set that can be held has a layout that fits, what would, and which types never train without
// others.
func (s *Spec) warnMemory() (warnings []string) {
	m, types, held := s.largestSet()
	if m == nil {
		return nil
	}
	none := m.Rate(&sim.Layout{Workers: held}).Progress == 0
	var fits []string
	for i := range types {
		alone := make([]int32, len(types))
		n := 1
		for ; n <= maxFits && (n <= int(held[i]) || none); n++ {
			if alone[i] = int32(n); m.Rate(&sim.Layout{Workers: alone}).Progress > 0 {
				break
			}
		}
		switch {
		case none && n <= maxFits:
			fits = append(fits, fmt.Sprintf("%d %s", n, types[i].InstanceType))
		case !none && n > int(held[i]) && len(types) > 1:
			warnings = append(warnings, fmt.Sprintf("no layout of %s fits on up to %d %s alone: they train together with other types only",
				s.Model.Layout.Network, held[i],
				types[i].InstanceType))
		}
	}
	switch {
	case none && fits == nil:
		warnings = append(warnings, fmt.Sprintf("no layout of %s fits on what the quotas allow, nor on up to %d instances of one of its types: the job never trains",
			s.Model.Layout.Network, maxFits))
	case none:
		warnings = append(warnings, fmt.Sprintf("no layout of %s fits on what the quotas allow: the job never trains; what would fit: %s", s.Model.Layout.Network,
			strings.Join(fits, ", or ")))
	}
	return warnings
}

// TypeQuota is how many instances of a type can be held.
type TypeQuota struct {
	Type string
	N    int
}

// TypeQuotas returns the instance types with their quotas on spot and on demand in all zones, in the order of their
// first pools.
func (s *Spec) TypeQuotas() (out []TypeQuota) {
	for i := range s.Market.Pools {
		p := &s.Market.Pools[i]
		k := slices.IndexFunc(out, func(q TypeQuota) bool { return q.Type == p.Type })
		if k < 0 {
			k = len(out)
			out = append(out, TypeQuota{p.Type, s.BlocksOf(p.Type)})
		}
		places := 1
		if x := s.Market.Synthetic; x != nil {
			regions, zones := x.Size()
			places = regions * zones
		}
		out[k].N += *p.Quota*places + p.OnDemandQuota*s.OnDemandPlaces()
	}
	return out
}

// checkLayout reports what is wrong with a model of layouts.
func (s *Spec) checkLayout() error {
	const at = "$.model.layout"
	x, err := s.openLayouts()
	if absent(err) {
		return nil // said where models are made: a spec can be read without its data
	}
	if err != nil {
		return s.atPart(at, "", err)
	}
	for i := range s.Model.Layout.GPUs {
		if g := &s.Model.Layout.GPUs[i]; !slices.Contains(x.profile.GPUs(), g.GPU) {
			_, err := x.profile.Times(layout.Point{GPU: g.GPU, Micro: 1, TP: 1})
			return s.ErrorAt(fmt.Sprintf("%s.gpus[%d].gpu", at, i), "%v", err)
		}
	}
	for i := range s.Market.Pools {
		if _, err := s.node(s.Market.Pools[i].Type); err != nil {
			return s.ErrorAt(fmt.Sprintf("$.market.pools[%d].type", i), "%v", err)
		}
	}
	if s.Market.Moves != nil {
		return s.ErrorAt("$.market.moves", "what moves is worked out from the layouts, expected none: model.layout.links has the price and the bandwidth")
	}
	if b := &s.Market.Billing; b.SkipParameterServers || b.ParameterServerUSDPerH != nil {
		return s.ErrorAt("$.market.billing", "a parameter server is priced, and layouts have none")
	}
	return nil
}
