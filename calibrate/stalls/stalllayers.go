package stalls

import "github.com/marigram/marigram/calibrate/fit"

func init() { fit.Register(stallLayers) }

// stallLayers says how long a step waits for the exchange of gradients on one
// kind of link: deep networks for its latency, wide ones for its bandwidth.
var stallLayers = fit.LinearFamily(fit.Family{
	Name:    "stall-layers",
	Formula: "sync_time_s = a layers + b gradient_mb + c",
	Source: "a form consistent with the abstract of Stash (ICDCS 2023), which names layers and gradients; its " +
		"coefficients are not published",
	Target: "sync_time_s",
	Inputs: []string{"layers", "gradient_mb"},
	Same:   []string{"gpu", "gpus"},
	Parameters: []fit.Parameter{
		{Name: "a", Unit: "s/layer", Doc: "latency of an exchange"},
		{Name: "b", Unit: "s/MB", Doc: "1/b is the effective bandwidth of the link"},
		{Name: "c", Unit: "s", Doc: "part that does not depend on the network"},
	},
}, func(m *fit.Measurement) []float64 { return []float64{float64(m.Layers), m.GradientMB, 1} })
