package reference

import "github.com/marigram/marigram/calibrate/pipeline"

// OfTable returns the model of a published table.
func OfTable(t pipeline.NodeTable) *Model {
	m := &Model{MinNodes: t[len(t)-1].Nodes, Samples: t[0].Samples, SaveMs: int64(t[0].SaveMs),
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
