package calibrate

import (
	"fmt"
	"math"
	"slices"
)

// Speeds returns the profile with the speeds of the instance types that the model
// Covers as the model predicts them at their number of GPUs and batch,
// instead of the measured ones. Which network the profile is of it does not say:
// it is taken to be the model's. A warning names each of types whose prediction
// is outside of what the model was fitted on.
func (m *Fitted) Speeds(p Profile, types []string) (out Profile, warnings []string, err error) {
	if err := m.OfInstances(); err != nil {
		return nil, nil, err
	}
	if slices.Contains(m.family.Same, "parameter_servers") {
		return nil, nil, fmt.Errorf("family %s, expected one of the time of a step without contention for parameter servers", m.Family)
	}
	found := false
	out = slices.Clone(p)
	for i := range out {
		r := &out[i]
		row := Measurement{Model: m.Fixed("model"), GPU: r.GPU, GPUs: r.GPUs, Batch: r.BatchPerGPU}
		if !m.Covers(&row) {
			continue
		}
		found = true
		step, outside := m.Predict(&row)
		if !(step > 0) || math.IsInf(step, 1) {
			return nil, nil, fmt.Errorf("%s predicts a step of %v s for %s, expected more than 0", m.Family, step, r.InstanceType)
		}
		r.SpeedSamplesPerS = float64(r.GPUs*r.BatchPerGPU) / step
		if outside != "" && slices.Contains(types, r.InstanceType) {
			warnings = append(warnings, fmt.Sprintf("the speed of %s is predicted outside of what the model was fitted on (%s)", r.InstanceType, outside))
		}
	}
	if !found {
		return nil, nil, fmt.Errorf("fitted on GPU %q, which no instance type of the profile has", m.Fixed("gpu"))
	}
	return out, warnings, nil
}

// OfInstances returns an error unless the model predicts the time of a step from
// what is known of an instance type: its GPUs and their batch.
func (m *Fitted) OfInstances() error {
	if m.Target != "step_time_s" {
		return fmt.Errorf("family %s predicts %s, expected one of step_time_s", m.Family, m.Target)
	}
	for _, in := range m.family.Inputs {
		if in != "gpus" && in != "batch_per_gpu" {
			return fmt.Errorf("family %s predicts from %s, expected one that needs gpus and batch_per_gpu only", m.Family, in)
		}
	}
	return nil
}

// Covers reports whether the model predicts the GPU of a row: the one that it was
// fitted on, or any that its family has the facts of.
func (m *Fitted) Covers(row *Measurement) bool {
	if m.family.Knows != nil {
		return m.family.Knows(row) == nil
	}
	return row.GPU == m.Fixed("gpu")
}

// Fixed returns what the fitted rows have in common in a column, "" if nothing.
func (m *Fitted) Fixed(column string) string {
	for _, f := range m.For {
		if f.Column == column {
			return f.Value
		}
	}
	return ""
}
