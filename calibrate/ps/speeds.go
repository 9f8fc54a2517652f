package ps

import (
	"fmt"
	"math"
	"slices"

	"github.com/marigram/marigram/calibrate/fit"
)

// PredictSpeeds returns the profile with the speeds of the instance types that
// model m Covers as it predicts them at their number of GPUs and batch, instead
// of the measured ones. Which network the profile is of it does not say: it is
// taken to be the model's. A warning names each of types whose prediction is
// outside of what the model was fitted on.
func PredictSpeeds(m *fit.Model, p Profile, types []string) (out Profile, warnings []string, err error) {
	if err := m.OfInstances(); err != nil {
		return nil, nil, err
	}
	if slices.ContainsFunc(m.For, func(f fit.Fixed) bool { return f.Column == "parameter_servers" }) {
		return nil, nil, fmt.Errorf("family %s, expected one of the time of a step without contention for parameter servers",
			m.Family)
	}
	found := false
	out = slices.Clone(p)
	for i := range out {
		r := &out[i]
		row := fit.Measurement{Model: m.Fixed("model"), GPU: r.GPU, GPUs: r.GPUs, Batch: r.BatchPerGPU}
		if !m.Covers(&row) {
			continue
		}
		found = true
		step, outside := m.Predict(&row)
		if !(step > 0) || math.IsInf(step, 1) {
			return nil, nil, fmt.Errorf("%s predicts a step of %v s for %s, expected more than 0", m.Family, step,
				r.InstanceType)
		}
		r.SpeedSamplesPerS = float64(r.GPUs*r.BatchPerGPU) / step
		if outside != "" && slices.Contains(types, r.InstanceType) {
			warnings = append(warnings, fmt.Sprintf("the speed of %s is predicted outside the fitted range of the model (%s)",
				r.InstanceType, outside))
		}
	}
	if !found {
		return nil, nil, fmt.Errorf("fitted on GPU %q, but no instance type of the profile has it", m.Fixed("gpu"))
	}
	return out, warnings, nil
}
