package ps

import "github.com/marigram/marigram/sim"

// RateInto implements sim.ElasticModel, for the artifact's form with one server: rates and speeds added up in the order of the
// pools, as Tally.AddAll does, without what that form does not read.
func (m *ASP) RateInto(self sim.Model, workers []int32, n int, servers int32, into *sim.Rate) bool {
	if self != sim.Model(m) || m.form == FormPaper || servers != 1 || n < 1 || n > tabled {
		return false
	}
	alone := m.table[n][:len(workers)]
	rate, speed := 0.0, 0.0
	for p, k := range workers {
		f, w := float64(k), &alone[p]
		rate += float64(f * w.Rate)
		speed += float64(f * w.Speed)
	}
	a := 0.0
	if m.alike != nil { // without waiting for the sums
		a = m.alike[n]
	} else {
		a = m.amplitudeAt(n, m.batch(rate, speed), 0)
	}
	if a <= 0 {
		return false
	}
	into.Progress, into.Iterations, into.Samples, into.Working, into.Redundant, into.Step = rate/a, rate, speed, int32(n), 0, 0
	return true
}

// tabulate fills in alike. The artifact rounds the average, so that what adding up rounds is lost: of workers with one
// batch, for which that is checked here, the average is the batch.
func (m *ASP) tabulate() {
	const slack = 1e-9 // relative, of sums of up to tabled workers: more than they have
	for i := range m.workers {
		b := m.workers[i].batch
		if m.form != FormArtifact || b != m.workers[0].batch || m.batch(1, b-slack*b) != m.batch(1, b+slack*b) {
			return
		}
	}
	if len(m.workers) == 0 {
		return
	}
	m.alike = make([]float64, tabled+1)
	for n := range m.alike {
		m.alike[n] = m.amplitudeAt(n, m.batch(1, m.workers[0].batch), 0)
	}
}
