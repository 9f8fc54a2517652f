package policies

import (
	"github.com/marigram/marigram/policies/notebooks"
	"github.com/marigram/marigram/sim"
)

func init() {
	for name, doc := range map[string]string{
		notebooks.Autoscaled: "hosts for cells of notebooks by an autoscaler, on spot first: GPUs only while a cell runs",
		notebooks.OnDemand:   "notebook-pool on demand",
		notebooks.Batch:      "notebook-pool with a container for each cell, as batch jobs have",
		notebooks.Reserved:   "holds the GPUs of each session of notebooks from its start to its stop",
	} {
		Register(Info{
			Name:     name,
			Doc:      doc,
			Source:   "NotebookOS (ASPLOS 2026), rules of its public code, simplified",
			Needs:    Sessions,
			Defaults: func() sim.Policy { return notebooks.New(name) },
		})
	}
}
