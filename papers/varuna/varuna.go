package varuna

import (
	"github.com/marigram/marigram/calibrate/pipeline"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/papers"
	"github.com/marigram/marigram/papers/internal/world"
)

// varunaTable2 reports Varuna's throughput on a shrinking fleet, simulated in the
// world with a save every ten steps, as in Oobleck's artifact.
func varunaTable2(f *papers.Figure) error {
	var in struct {
		Fleet     world.Fleet `json:"fleet"`
		SaveSteps float64     `json:"save_every_steps"`
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	return in.Fleet.EachTable("varuna", func(item string, period world.Period, t pipeline.NodeTable) error {
		p, err := (&spec.Policy{Name: "varuna",
			Settings: map[string]any{"save_every_steps": in.SaveSteps, "save_on_notice": false}}).New()
		if err != nil {
			return err
		}
		x, err := in.Fleet.Throughput(p, t, period)
		f.Report(item, x)
		return err
	})
}
