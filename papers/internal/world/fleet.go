package world

import (
	"github.com/marigram/marigram/papers/internal/nodes"
	"time"

	"github.com/marigram/marigram/calibrate/pipeline"
	"github.com/marigram/marigram/papers"
	"github.com/marigram/marigram/sim"
)

// Fleet is the setting of Oobleck's evaluation (SOSP 2023, section 7.2): nodes
// of which one is lost at a fixed period and not replaced. The last loss ends
// the run.
type Fleet struct {
	Nodes  int      `json:"nodes"`
	Losses int      `json:"losses"`
	BootS  float64  `json:"boot_s"`
	Every  []Period `json:"lost_every"`
	Models []string `json:"models"`
}

// Period is how often a node is lost.
type Period struct {
	Name string  `json:"name"` // in claims
	S    float64 `json:"s"`
}

// Events returns the trace as the artifact's replays read it.
func (f *Fleet) Events(period Period) []nodes.Change {
	var out []nodes.Change
	for i := range f.Nodes {
		out = append(out, nodes.Change{Node: int32(i), Add: true})
	}
	for i := range f.Losses {
		out = append(out, nodes.Change{At: int64(float64(i+1) * period.S * 1000), Node: int32(i)})
	}
	return out
}

// market returns the trace as a market without prices or notices.
func (f *Fleet) market(period Period) (*sim.Market, error) {
	h := sim.Trace{Pool: sim.Pool{Name: "a40", Quota: f.Nodes, Boot: sim.Boot{Median: papers.Seconds(f.BootS)}},
		Prices: []sim.Price{{}}}
	var end sim.Time
	for _, e := range f.Events(period) {
		at := sim.Time(0).Add(time.Duration(e.At) * time.Millisecond)
		h.Nodes = append(h.Nodes, sim.NodeEvent{At: at, Node: int(e.Node), Up: e.Add})
		end = at
	}
	return sim.NewMarket(end, []sim.Trace{h})
}

// Throughput simulates a policy with the model of a table and returns samples/s
// from the first start to the end.
func (f *Fleet) Throughput(policy sim.Policy, table pipeline.NodeTable, period Period) (float64, error) {
	const unending = 1e12 // samples
	model, err := pipeline.New(unending, table[0].Samples, table.Layouts(), Recovery(table))
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
	return (unending - t.Jobs[0].Loss) / t.End.Sub(sim.Time(0).Add(papers.Seconds(f.BootS))).Seconds(), nil
}

// EachTable calls do for every period and network of a system.
func (f *Fleet) EachTable(system string, do func(item string, period Period, t pipeline.NodeTable) error) error {
	for _, period := range f.Every {
		for _, model := range f.Models {
			t, err := OobleckTable(system, model)
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
