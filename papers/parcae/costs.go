package parcae

import (
	"fmt"
	"slices"
	"strings"

	"github.com/marigram/marigram/calibrate/pipeline"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/papers"
	fleets "github.com/marigram/marigram/papers/internal/world"
	"github.com/marigram/marigram/sim"
)

// costInputs is the setting of Table 2 of Parcae: four hours of the p3 trace,
// under Parcae, as its simulator counts, and under our own Varuna and Bamboo, in
// the world.
type costInputs struct {
	Replay setting `json:"replay"`
	World  world   `json:"world"`

	Varuna struct {
		Table    string         `json:"table"` // of Oobleck's artifact: what its saves and restarts took
		Settings map[string]any `json:"settings"`
	} `json:"varuna"`
	Bamboo struct {
		Depths    map[string]int `json:"depths"`          // of its pipelines, by network
		Redundant float64        `json:"redundant_share"` // of the time
		RelayS    float64        `json:"relay_s"`
		Slowdown  float64        `json:"slowdown"`
		Settings  map[string]any `json:"settings"`
	} `json:"bamboo"`
	Shown []string `json:"cells"` // networks whose cells are claims
}

// system is one of those compared.
type system struct {
	name   string
	policy string
	model  func(pipeline.Throughput) (sim.Model, error)
	set    map[string]any
}

func (in *costInputs) systems(network string) ([]system, error) {
	varuna, err := fleets.OobleckTable("varuna", in.Varuna.Table)
	if err != nil {
		return nil, err
	}
	restarts := fleets.Recovery(varuna)
	covered := pipeline.Recovery{Loss: pipeline.LossCovered, Restart: restarts.Restart,
		Reconfigure: papers.Seconds(in.Bamboo.RelayS), Slowdown: in.Bamboo.Slowdown, Redundant: in.Bamboo.Redundant}
	return []system{
		{"varuna", "varuna", func(t pipeline.Throughput) (sim.Model, error) {
			return pipeline.New(unending, t.Samples, t.Layouts, restarts)
		}, in.Varuna.Settings},
		{"bamboo", "bamboo", func(t pipeline.Throughput) (sim.Model, error) {
			t.Layouts = slices.DeleteFunc(slices.Clone(t.Layouts),
				func(l pipeline.LayoutSpeed) bool { return l.Stages != in.Bamboo.Depths[network] })
			for i := range t.Layouts {
				t.Layouts[i].SamplesPerS *= 1 - in.Bamboo.Redundant
			}
			return pipeline.New(unending, t.Samples, t.Layouts, covered)
		}, in.Bamboo.Settings},
	}, nil
}

// table2 reports costs of a million tokens or images, USD, and over all
// networks and hours the mean ratios of those of others to Parcae's.
func table2(f *papers.Figure) error {
	var in costInputs
	if err := f.Inputs(&in); err != nil {
		return err
	}
	trace := pipeline.ParcaeTrace()
	market, err := in.World.market(trace)
	if err != nil {
		return err
	}
	ratios := map[string][]float64{}
	for _, network := range in.Replay.Networks {
		minutes, m, err := in.Replay.forecast(network)
		if err != nil {
			return err
		}
		systems, err := in.systems(network)
		if err != nil {
			return err
		}
		for _, s := range pipeline.ParcaeSegments() {
			units := samplesOf(minutes, s) * m.UnitsPerSample / 1e6
			parcae := in.World.rent(trace[s.First:s.End]) / units
			cell := func(of string, usd float64) {
				if slices.Contains(in.Shown, network) {
					f.Report(fmt.Sprintf("%s-%s-%s", network, strings.ToLower(s.Name), of), usd)
				}
				ratios[of] = append(ratios[of], usd/parcae)
			}
			cell("parcae", parcae)
			onDemand := m.Speed(m.Best(in.Replay.Instances)) * m.UnitsPerSample
			ratios["on-demand"] = append(ratios["on-demand"],
				float64(in.Replay.Instances)*in.Replay.OnDemandUSDPerH/3600/onDemand*1e6/parcae)
			for _, other := range systems {
				if other.name == "bamboo" && in.Bamboo.Depths[network] == 0 {
					continue // it has no profile
				}
				usd, err := in.cost(&other, market, m, network, s)
				if err != nil {
					return err
				}
				cell(other.name, usd)
				if other.name == "bamboo" && slices.Min(trace[s.First:s.End]) < in.Bamboo.Depths[network] {
					ratios[other.name] = ratios[other.name][:len(ratios[other.name])-1] // its pipeline is longer than what there is at times
				}
			}
		}
	}
	for _, of := range []string{"varuna", "bamboo", "on-demand"} {
		f.Report("mean-ratio-"+of, stats.Mean(ratios[of]))
	}
	return nil
}

// cost simulates a system in one hour and returns the cost of a million units.
func (in *costInputs) cost(s *system, market *sim.Market, m *pipeline.Parcae, network string,
	hour pipeline.ParcaeSegment) (float64, error) {
	throughput, err := pipeline.PublishedThroughput("parcae-" + network)
	if err != nil {
		return 0, err
	}
	model, err := s.model(throughput)
	if err != nil {
		return 0, err
	}
	samples, usd, err := in.World.run(market, model,
		func() (sim.Policy, error) { return (&spec.Policy{Name: s.policy, Settings: s.set}).New() }, hour.First, hour.End)
	return usd / (samples * m.UnitsPerSample) * 1e6, err
}

// rent returns what instances cost in n intervals.
func (w *world) rent(counts []int) float64 {
	sum := 0
	for _, n := range counts {
		sum += n
	}
	return float64(sum) * w.IntervalS / 3600 * w.USDPerH
}
