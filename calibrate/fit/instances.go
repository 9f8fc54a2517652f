package fit

import "fmt"

// OfInstances returns an error unless the model predicts the time of a step from
// what is known of an instance type: its GPUs and their batch.
func (m *Model) OfInstances() error {
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
func (m *Model) Covers(row *Measurement) bool {
	if m.family.Knows != nil {
		return m.family.Knows(row) == nil
	}
	return row.GPU == m.Fixed("gpu")
}

// Fixed returns what the fitted rows have in common in a column, "" if nothing.
func (m *Model) Fixed(column string) string {
	for _, f := range m.For {
		if f.Column == column {
			return f.Value
		}
	}
	return ""
}
