package sailor

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/marigram/marigram/calibrate/layout"
)

// sailorPlan is the file of a measured layout.
type sailorPlan struct {
	Pipelines []struct {
		Layers   [][]int                `json:"layers_per_stage"`
		Replicas [][][2]json.RawMessage `json:"tmp_per_stage"` // [[[type, GPUs of the node, zone]], tensor parallelism]
	} `json:"pipeline_list"`
	Micro  int     `json:"mbs"`
	Batch  int     `json:"gbs"`
	Step   float64 `json:"real"`
	Memory float64 `json:"max_mem"`
}

// readMeasured reads a measured layout in the form of Sailor's validation. name is for errors.
func readMeasured(name string, r io.Reader) (m layout.Measured, err error) {
	var in sailorPlan
	if err := json.NewDecoder(r).Decode(&in); err != nil {
		return m, fmt.Errorf("%s: %w", name, err)
	}
	if len(in.Pipelines) != 1 || len(in.Pipelines[0].Layers) != len(in.Pipelines[0].Replicas) {
		return m, fmt.Errorf("%s: %d lists of pipelines, expected one with layers_per_stage and tmp_per_stage of the same length", name, len(in.Pipelines))
	}
	m = layout.Measured{Layout: layout.Layout{Micro: in.Micro, Batch: in.Batch}, Step: in.Step, Memory: in.Memory}
	for i, layers := range in.Pipelines[0].Layers {
		s := layout.Stage{Layers: layers}
		for _, replica := range in.Pipelines[0].Replicas[i] {
			p, err := readPlace(replica)
			if err != nil {
				return m, fmt.Errorf("%s: stage %d: %w", name, i, err)
			}
			s.Replicas = append(s.Replicas, p)
		}
		m.Stages = append(m.Stages, s)
	}
	return m, nil
}

// readPlace reads [[[type, GPUs of the node, zone]], tensor parallelism].
func readPlace(in [2]json.RawMessage) (p layout.Place, err error) {
	var nodes [][3]json.RawMessage
	if err := json.Unmarshal(in[0], &nodes); err != nil {
		return p, err
	}
	if len(nodes) != 1 {
		return p, fmt.Errorf("a replica over %d nodes, expected one: tensor parallelism stays inside a node", len(nodes))
	}
	for i, to := range []any{&p.GPU, &p.Node, &p.Zone} {
		if err := json.Unmarshal(nodes[0][i], to); err != nil {
			return p, err
		}
	}
	return p, json.Unmarshal(in[1], &p.TP)
}
