package main

import "github.com/marigram/marigram/calibrate/fit"

func init() {
	fit.Register(fit.Family{
		Name:       "mean-step",
		Formula:    "step_time_s = mean",
		Source:     "mine",
		Target:     "step_time_s",
		Parameters: []fit.Parameter{{Name: "mean", Unit: "s", Doc: "mean time of a step"}},
		Fit: func(rows []fit.Measurement) ([]float64, error) {
			sum := 0.0
			for i := range rows {
				sum += rows[i].StepS
			}
			return []float64{sum / float64(len(rows))}, nil
		},
		Predict: func(parameters []float64, _ *fit.Measurement) float64 { return parameters[0] },
	})
}
