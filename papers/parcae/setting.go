package parcae

import (
	"math"
	"slices"

	"github.com/marigram/marigram/calibrate/pipeline"
	"github.com/marigram/marigram/papers/parcae/reference"
	"github.com/marigram/marigram/policies/forecast"
	"github.com/marigram/marigram/policies/parcae"
)

// setting is how the simulator of Parcae's public code is replayed.
type setting struct {
	Networks  []string       `json:"networks"`
	Network   string         `json:"network"`
	Segments  []string       `json:"segments"`
	OneMore   map[string]int `json:"one_more_from"` // by network: the minute from which on there is one instance more
	Instances int            `json:"instances"`
	Ahead     int            `json:"look_ahead"`
	IntervalS float64        `json:"interval_s"`

	Forecaster string  `json:"forecaster"`
	Window     int     `json:"window"`
	Min        float64 `json:"least"` // instances that it forecasts
	// MinOf is, by network, the least that its plans are made for: the public
	// code's guard of GPT-3 6.7B.
	MinOf           map[string]int `json:"least_of"`
	OnDemandUSDPerH float64        `json:"on_demand_usd_per_hour"`
}

// replay runs a network through the p3 trace as published: with the slips of
// the public code.
func (s *setting) replay(network string, rule reference.Rule) (
	[]reference.Minute, *pipeline.Parcae, error) {
	return s.replayWith(network, rule, nil)
}

// replayWith is replay with a forecast; nil is what will be.
func (s *setting) replayWith(network string, rule reference.Rule,
	forecast func([]int, int) []int) ([]reference.Minute, *pipeline.Parcae, error) {
	m, err := pipeline.LoadParcae(network)
	if err != nil {
		return nil, nil, err
	}
	m.Quirks = pipeline.ParcaeAsPublished()
	p := reference.Simulator{Model: m, Rule: rule, Ahead: s.Ahead, Planner: parcae.NewPlanner(m, s.Instances, s.IntervalS),
		Forecast: forecast}
	trace := pipeline.ParcaeTrace()
	if first, ok := s.OneMore[network]; ok {
		for i := range trace[first:] {
			trace[first+i]++
		}
	}
	return p.Replay(trace), m, nil
}

// forecast replays a network with the paper's forecaster, as published.
func (s *setting) forecast(network string) ([]reference.Minute, *pipeline.Parcae, error) {
	info, err := forecast.Named(s.Forecaster)
	if err != nil {
		return nil, nil, err
	}
	f := counted(info.New(forecast.Setup{Window: s.Window, Min: s.Min, Max: float64(s.Instances)}))
	if smallest := s.MinOf[network]; smallest > 0 {
		f = guarded(f, smallest)
	}
	return s.replayWith(network, reference.Proactive, f)
}

// counted returns a forecaster of whole numbers.
func counted(f forecast.Forecaster) func(trace []int, horizon int) []int {
	var past, next []float64
	return func(trace []int, horizon int) []int {
		past, next = past[:0], slices.Grow(next[:0], horizon)[:horizon]
		for _, n := range trace {
			past = append(past, float64(n))
		}
		f.Forecast(next, past)
		out := make([]int, horizon)
		for i, x := range next {
			out[i] = int(math.RoundToEven(x))
		}
		return out
	}
}

// guarded is the guard of the public code (trace.py): where fewer than least
// instances would be left, it plans for least. It counts what comes and goes in an
// interval twice, since its number is that after the event.
func guarded(f func(trace []int, horizon int) []int, smallest int) func(trace []int, horizon int) []int {
	return func(trace []int, horizon int) []int {
		out := f(trace, horizon)
		before := trace[len(trace)-1]
		for i, n := range out {
			if n+(n-before) < smallest {
				out[i] = smallest
			}
			before = n
		}
		return out
	}
}

// samplesOf returns the samples of an hour.
func samplesOf(minutes []reference.Minute, s pipeline.ParcaeSegment) float64 {
	return minutes[s.End-1].Samples - minutes[s.First-1].Samples
}
