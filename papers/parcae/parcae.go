// Package parcae computes the claims on Parcae (NSDI 2024): replays of its published
// simulator minute by minute, and the same policies in the simulator of this module.
package parcae

import (
	"fmt"
	"slices"
	"strings"

	"github.com/marigram/marigram/calibrate/pipeline"
	"github.com/marigram/marigram/papers"
	"github.com/marigram/marigram/papers/parcae/reference"
)

// replay reports the samples of each network and rule, and how often the
// layout changes.
func replay(f *papers.Figure) error {
	var in setting
	if err := f.Inputs(&in); err != nil {
		return err
	}
	rules := []struct {
		name string
		rule reference.Rule
	}{{"proactive", reference.Proactive}, {"reactive", reference.Reactive},
		{"unhindered", reference.Unhindered}}
	for _, network := range in.Networks {
		for _, r := range rules {
			minutes, _, err := in.replay(network, r.rule)
			if err != nil {
				return err
			}
			changes := -1.0 // the beginning is none
			shapes := slices.CompactFunc(slices.Clone(minutes),
				func(a, b reference.Minute) bool { return a.Shape == b.Shape })
			changes += float64(len(shapes))
			f.Report(fmt.Sprintf("%s-%s-samples", network, r.name), minutes[len(minutes)-1].Samples)
			f.Report(fmt.Sprintf("%s-%s-changes", network, r.name), changes)
		}
	}
	return nil
}

// segments reports mean instances and events of the hours of Table 1.
func segments(f *papers.Figure) error {
	trace := pipeline.ParcaeTrace()
	for _, s := range pipeline.ParcaeSegments() {
		sum, preemptions, allocations := 0, 0, 0
		for i := s.First; i < s.End; i++ {
			sum += trace[i]
			switch {
			case i == s.First:
			case trace[i] < trace[i-1]:
				preemptions++
			case trace[i] > trace[i-1]:
				allocations++
			}
		}
		name := strings.ToLower(s.Name)
		f.Report(name+"-instances", float64(sum)/float64(s.End-s.First))
		f.Report(name+"-preemptions", float64(preemptions))
		f.Report(name+"-allocations", float64(allocations))
	}
	return nil
}

// onDemand reports the cost of a million tokens or images on demand, USD.
func onDemand(f *papers.Figure) error {
	var in struct {
		Networks  []string `json:"networks"`
		Instances int      `json:"instances"`
		USDPerH   float64  `json:"usd_per_hour"`
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	for _, network := range in.Networks {
		m, err := pipeline.LoadParcae(network)
		if err != nil {
			return err
		}
		units := m.Speed(m.Best(in.Instances)) * m.UnitsPerSample
		f.Report(network+"-on-demand", float64(in.Instances)*in.USDPerH/3600/units*1e6)
	}
	return nil
}

// ideal reports how far the plan that knows the future is below on demand, %.
func ideal(f *papers.Figure) error {
	var in setting
	if err := f.Inputs(&in); err != nil {
		return err
	}
	minutes, m, err := in.replay(in.Network, reference.Proactive)
	if err != nil {
		return err
	}
	for _, s := range pipeline.ParcaeSegments() {
		if slices.Contains(in.Segments, s.Name) {
			samples := samplesOf(minutes, s)
			onDemand := m.Speed(m.Best(in.Instances)) * in.IntervalS * float64(s.End-s.First)
			f.Report(strings.ToLower(s.Name)+"-below-on-demand", 100*(1-samples/onDemand))
		}
	}
	return nil
}

// liveput reports the liveput of layouts by preemptions, samples/s.
func liveput(f *papers.Figure) error {
	var in struct {
		Instances int `json:"instances"`
		Max       int `json:"most_preempted"`
		Layouts   []struct {
			Pipelines int     `json:"pipelines"`
			Stages    int     `json:"stages"`
			Samples   float64 `json:"samples_per_s"` // of a pipeline
		} `json:"layouts"`
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	for _, l := range in.Layouts {
		for n := range in.Max + 1 {
			e := pipeline.Exposed{Pipelines: l.Pipelines, Stages: l.Stages, Instances: in.Instances, Preempted: n}
			f.Report(fmt.Sprintf("%dx%d-%d", l.Pipelines, l.Stages, n),
				e.Liveput(func(d, _ int) float64 { return float64(d) * l.Samples }, false))
		}
	}
	return nil
}
