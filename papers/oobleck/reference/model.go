package reference

import "github.com/marigram/marigram/calibrate/pipeline"

// OfTable returns the model of a published table.
func OfTable(t pipeline.NodeTable) *Model {
	m := &Model{MinNodes: t[len(t)-1].Nodes, Samples: int(t[0].Samples), PauseMs: int64(t[0].PauseMs)}
	for i := len(t) - 1; i >= 0; i-- {
		m.StepMs = append(m.StepMs, int64(t[i].StepMs))
	}
	return m
}
