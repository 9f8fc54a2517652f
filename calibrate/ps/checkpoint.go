package ps

import (
	"github.com/marigram/marigram/calibrate/fit"
)

func init() { fit.Register(checkpointTime) }

// checkpointTime is CM-DARE's time of a checkpoint.
var checkpointTime = fit.LinearFamily(fit.Family{
	Name:    "checkpoint-time",
	Formula: "checkpoint_s = a + b checkpoint_mb",
	Source:  "CM-DARE (ICDCS 2020), the linear model of checkpoint times",
	Target:  "checkpoint_s",
	Inputs:  []string{"checkpoint_mb"},
	Same:    []string{"instance_type"},
	Parameters: []fit.Parameter{
		{Name: "a", Unit: "s", Doc: "fixed time of a checkpoint"},
		{Name: "b", Unit: "s/MB", Doc: "1/b is the bandwidth to the store"},
	},
}, func(m *fit.Measurement) []float64 { return []float64{1, m.CheckpointMB} })
