package pipeline

import (
	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/internal/registry"
)

// BambooNetwork is one network of Bamboo's simulator (NSDI 2023), with what was
// measured on p3 instances of one V100.
type BambooNetwork struct {
	Model    string  `col:"model"`  // BERT, GPT-2, ResNet, GNMT, VGG or AlexNet
	Stages   int     `col:"stages"` // pipeline depth
	StepMs1  int     `col:"step_ms_1"`
	StepMs2  int     `col:"step_ms_2"`
	StepMs3  int     `col:"step_ms_3"`
	StepMs4  int     `col:"step_ms_4"` // a step on n pipelines
	Samples  float64 `col:"samples"`   // of a step
	Steps    int     `col:"steps"`     // of a whole job; 0: not known
	LocalMs  int     `col:"local_ms"`  // a rendezvous without a fatal failure
	Capacity int     `col:"capacity"`  // nodes asked for
}

// BambooModel returns one of Bamboo's networks. An unknown name is an error.
func BambooModel(model string) (BambooNetwork, error) {
	var known []string
	for _, network := range facts.Read[BambooNetwork]("bamboo_networks") {
		if network.Model == model {
			return network, nil
		}
		known = append(known, network.Model)
	}
	return BambooNetwork{}, registry.Unknown("network of Bamboo", model, known)
}

// StepMs returns ms of a step on 1, 2, ... pipelines.
func (n *BambooNetwork) StepMs() []int64 {
	return []int64{int64(n.StepMs1), int64(n.StepMs2), int64(n.StepMs3), int64(n.StepMs4)}
}

// Layouts returns the speed of 1, 2, ... pipelines.
func (n *BambooNetwork) Layouts() []LayoutSpeed {
	var out []LayoutSpeed
	for i, ms := range n.StepMs() {
		out = append(out, LayoutSpeed{i + 1, n.Stages, n.Samples / float64(ms) * 1000})
	}
	return out
}
