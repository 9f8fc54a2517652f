package bamboo

import (
	"github.com/marigram/marigram/papers/internal/nodes"
	"strings"

	"github.com/marigram/marigram/papers"
	"github.com/marigram/marigram/papers/bamboo/reference"
	"github.com/marigram/marigram/traces"
)

// p3 reports what Bamboo's simulator makes of a recorded trace whose events often
// share an instant.
func p3(f *papers.Figure) error {
	var in struct {
		Trace    string   `json:"trace"`
		Networks []string `json:"networks"`
		Hours    float64  `json:"hours"`
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	set, err := papers.PulledSet(in.Trace)
	if err != nil {
		return err
	}
	events := fileEvents(set)
	var sim reference.Simulator
	for _, network := range in.Networks {
		model, _, err := published(network)
		if err != nil {
			return err
		}
		r := sim.ReplayTies(model, events, int64(in.Hours*msPerHour))
		for item, x := range map[string]float64{"steps": float64(r.Steps), "preemptions": float64(r.Preemptions), "fatal": float64(r.Fatal),
			"nodes": r.Instances, "samples": r.Performance, "usd": r.CostUSDPerH, "value": r.Value,
			"hours": float64(r.LastStepEndMs) / msPerHour} {
			f.Report(strings.ToLower(network)+"-"+item, x)
		}
	}
	return nil
}

// fileEvents returns the events in the order of their file, which the neutral form keeps
// for the rows of one instant and pool.
func fileEvents(set *traces.Set) (out []nodes.Change) {
	ids := map[string]int32{}
	for _, r := range set.InstanceEvents {
		if _, known := ids[r.InstanceID]; !known {
			ids[r.InstanceID] = int32(len(ids))
		}
		out = append(out, nodes.Change{At: r.T / 1000, Node: ids[r.InstanceID], Add: r.Kind == traces.KindRunning})
	}
	return out
}
