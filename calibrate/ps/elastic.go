package ps

import (
	"slices"

	"github.com/marigram/marigram/sim"
)

// stretch is how many pools RateInto passes over together if none of them has a worker.
const stretch = 16

// RateInto implements sim.ElasticModel, for the artifact's form with one server: rates and speeds added up in the order of the
// pools, as Tally.AddAll does, without what that form does not read.
func (m *ASP) RateInto(self sim.Model, workers []int32, n int, servers int32, into *sim.Rate) bool {
	if self != sim.Model(m) || m.form == FormPaper || servers != 1 || n < 1 || n > tabled {
		return false
	}
	alone, rate, speed := m.table[n], 0.0, 0.0
	for ; len(workers) > stretch; workers, alone = workers[stretch:], alone[stretch:] {
		if slices.Max(workers[:stretch]) > 0 { // of the many pools of a wide market most have none
			rate, speed = add(workers[:stretch], alone, rate, speed)
		}
	}
	rate, speed = add(workers, alone, rate, speed)
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

// add adds the rates and speeds of workers, by pool, to sums.
func add(workers []int32, alone []sim.Worker, rate, speed float64) (float64, float64) {
	alone = alone[:len(workers)]
	for p, k := range workers {
		f, w := float64(k), &alone[p]
		rate += float64(f * w.Rate)
		speed += float64(f * w.Speed)
	}
	return rate, speed
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
