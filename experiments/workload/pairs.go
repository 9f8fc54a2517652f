package workload

import (
	"strings"

	"github.com/marigram/marigram/calibrate/throughput"
	"github.com/marigram/marigram/sim"
)

// halves is the tasks of jobs of a kind, of n GPUs, which others may share: each takes half of one.
func halves(name string, kind int, speeds []float64) *throughput.Task {
	t := &throughput.Task{Name: name, Kind: kind}
	for _, speed := range speeds {
		t.Needs = append(t.Needs, throughput.Need{Of: sim.Resources{0.5}, Runs: speed > 0})
	}
	return t
}

// keepsWith is the part of its speed that a job keeps beside another of as many GPUs on the same ones.
func (w *Workload) keepsWith(p *sim.Pool, of, other *sim.Job) float64 {
	a, b := of.Model.(*throughput.Gang), other.Model.(*throughput.Gang)
	if a.GPUs != b.GPUs {
		return 0
	}
	model := p.GPU
	if model == "" {
		model = p.InstanceType
	}
	return w.together.Keeps(w.table, a.Task.Name, b.Task.Name, strings.ToLower(model), a.GPUs)
}
