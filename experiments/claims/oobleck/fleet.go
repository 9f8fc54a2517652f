package oobleck

import (
	"time"

	"github.com/marigram/marigram/calibrate/pipeline"
	"github.com/marigram/marigram/experiments/claims"
	"github.com/marigram/marigram/experiments/claims/reference"
	"github.com/marigram/marigram/sim"
)

// fleet is the setting of Oobleck's evaluation (SOSP 2023, section 7.2): nodes
// of which one is lost at a fixed period and not replaced. The last loss ends
// the run.
type fleet struct {
	Nodes  int           `json:"nodes"`
	Losses int           `json:"losses"`
	BootS  float64       `json:"boot_s"`
	Every  []fleetPeriod `json:"lost_every"`
	Models []string      `json:"models"`
}

type fleetPeriod struct {
	Name string  `json:"name"` // in claims
	S    float64 `json:"s"`
}

// events returns the history as the artifact's replays read it.
func (f *fleet) events(period fleetPeriod) []reference.NodeEvent {
	var out []reference.NodeEvent
	for i := range f.Nodes {
		out = append(out, reference.NodeEvent{Node: int32(i), Add: true})
	}
	for i := range f.Losses {
		out = append(out, reference.NodeEvent{At: int64(float64(i+1) * period.S * 1000), Node: int32(i)})
	}
	return out
}

// market returns the history as a market without prices or notices.
func (f *fleet) market(period fleetPeriod) (*sim.Market, error) {
	h := sim.History{Pool: sim.Pool{Name: "a40", Quota: f.Nodes, Boot: sim.Boot{Median: claims.Seconds(f.BootS)}},
		Prices: []sim.Price{{}}}
	var end sim.Time
	for _, e := range f.events(period) {
		at := sim.Time(0).Add(time.Duration(e.At) * time.Millisecond)
		h.Nodes = append(h.Nodes, sim.NodeEvent{At: at, Node: int(e.Node), Up: e.Add})
		end = at
	}
	return sim.NewMarket(end, []sim.History{h})
}

// throughput simulates a policy with the model of a table and returns samples/s
// from the first start to the end.
func (f *fleet) throughput(policy sim.Policy, table pipeline.NodeTable, period fleetPeriod) (float64, error) {
	const unending = 1e12 // samples
	recovery := table.Recovery(0)
	model, err := table.Model(unending, recovery)
	if err != nil {
		return 0, err
	}
	market, err := f.market(period)
	if err != nil {
		return 0, err
	}
	w, err := sim.New(sim.Config{Market: market, Policy: policy,
		Jobs: []sim.Job{{Model: model, Objective: sim.Objective{Within: market.End().Sub(0)}}}})
	if err != nil {
		return 0, err
	}
	w.Run()
	t := w.Totals()
	return (unending - t.Jobs[0].Loss) / t.End.Sub(sim.Time(0).Add(claims.Seconds(f.BootS))).Seconds(), nil
}

// eachTable calls do for every period and network of a system.
func (f *fleet) eachTable(system string, do func(item string, period fleetPeriod, t pipeline.NodeTable) error) error {
	for _, period := range f.Every {
		for _, model := range f.Models {
			t, err := pipeline.OobleckTable(system, model)
			if err != nil {
				return err
			}
			if err := do(model+"-"+period.Name, period, t); err != nil {
				return err
			}
		}
	}
	return nil
}

// oobleckReplay and varunaReplay make the artifact's models of a table.
func oobleckReplay(t pipeline.NodeTable) *reference.OobleckModel {
	m := &reference.OobleckModel{LeastNodes: t[len(t)-1].Nodes, Samples: int(t[0].Samples), PauseMs: int64(t[0].PauseMs)}
	for i := len(t) - 1; i >= 0; i-- {
		m.StepMs = append(m.StepMs, int64(t[i].StepMs))
	}
	return m
}

func varunaReplay(t pipeline.NodeTable) *reference.VarunaModel {
	m := &reference.VarunaModel{LeastNodes: t[len(t)-1].Nodes, Samples: t[0].Samples, SaveMs: int64(t[0].SaveMs),
		SaveSteps: 10, FirstRestartMs: int64(t[0].PauseMs)}
	if t[0].Model == "BERT-Large" { // whose pause depends on the number of nodes, once there are any
		m.FirstRestartMs = 76_000
	}
	for i := len(t) - 1; i >= 0; i-- {
		m.StepMs = append(m.StepMs, int64(t[i].StepMs))
		m.RestartMs = append(m.RestartMs, int64(t[i].PauseMs))
		m.Idle = append(m.Idle, t[i].Idle)
	}
	return m
}
