package ps

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/sim"
)

// ASP is asynchronous data-parallel training with one parameter server (PS),
// after spotDNN (IWQoS 2023); the numbers of equations are that paper's. It
// implements sim.WorkerModel.
//
// Its progress is u = 1/(loss - gamma5). By Eq. 3, u = (j + gamma1)/A after j
// normalised iterations on a cluster, where A depends on the cluster only:
// u grows linearly in time, and when the cluster changes the loss goes on from
// where it was, which is what the paper does after a revocation.
type ASP struct {
	coef    Coefficients
	form    Form
	workers []aspWorker // by pool
	slowest float64     // smallest batch of a worker, samples
	fastest float64     // largest profiled speed, samples/s

	// by number of workers and pool: what Workers returns without a margin, for
	// the layouts that a run changes to again and again
	table [tabled + 1][]sim.Worker
	// by number of workers: the amplitude where all pools have one mini-batch, which is then the weighted
	// average as well; nil where they differ
	alike []float64
}

const tabled = 64

type aspWorker struct {
	batch   float64 // samples in a mini-batch of the instance, b_i
	compute float64 // s, Tcomp_i
	pcie    float64 // s, 2 g_i S / B_pcie, part of the iteration in the paper's form
}

// NewASP returns the model for a market's pools: pools[i] says the instance
// type of the i-th. Errors name the type that has no profile, or the
// coefficient that is missing.
func NewASP(profile Profile, c Coefficients, form Form, pools []string) (*ASP, error) {
	if err := c.check(form); err != nil {
		return nil, err
	}
	model := &ASP{coef: c, form: form, slowest: math.Inf(1)}
	for _, name := range pools {
		row, err := profile.find(name)
		if err != nil {
			return nil, err
		}
		worker, err := model.worker(row)
		if err != nil {
			return nil, err
		}
		model.workers = append(model.workers, worker)
		model.slowest = min(model.slowest, worker.batch)
		model.fastest = max(model.fastest, row.SpeedSamplesPerS)
	}
	for n := range model.table {
		model.table[n] = make([]sim.Worker, len(pools))
		model.compute(max(n, 1), 0, model.table[n])
	}
	model.tabulate()
	return model, nil
}

// worker takes the communication out of a profiled iteration (Eqs. 6, 7): what
// is left is computation.
func (m *ASP) worker(r ProfileRow) (aspWorker, error) {
	coef := &m.coef
	split := aspWorker{batch: float64(r.GPUs * r.BatchPerGPU)}
	split.pcie = 2 * float64(r.GPUs) * coef.ParameterMB / coef.PCIeMBps
	profiled := split.batch / r.SpeedSamplesPerS
	if m.form == FormArtifact {
		split.compute = profiled - (2*coef.ParameterMB/coef.WorkerMBps - split.pcie)
		split.pcie = 0
	} else {
		split.compute = profiled - 2*coef.ParameterMB/coef.WorkerMBps - split.pcie
	}
	if split.compute <= 0 {
		return split, fmt.Errorf("%s: profiled iteration of %.4g s is shorter than its communication", r.InstanceType,
			profiled)
	}
	return split, nil
}

// Workers implements sim.WorkerModel (Eqs. 6-9).
func (m *ASP) Workers(n int, margin float64, into []sim.Worker) {
	if n <= tabled && margin == 0 {
		copy(into, m.table[n])
		return
	}
	m.compute(n, margin, into)
}

func (m *ASP) compute(n int, margin float64, into []sim.Worker) {
	comm := 2 * m.coef.ParameterMB / m.coef.Bandwidth(n, 1, margin)
	for i := range into {
		into[i] = m.workers[i].alone(comm)
	}
}

// alone returns what a worker does whose communication takes comm seconds.
func (w *aspWorker) alone(comm float64) sim.Worker {
	rate := 1 / (w.compute + w.pcie + comm)
	return sim.Worker{Rate: rate, Speed: w.batch * rate}
}

// amplitude returns A of Eq. 3: loss = A/(j + gamma1) + gamma5. It is not
// positive for a batch beyond the range of the loss model.
func (m *ASP) amplitude(t *sim.Tally) float64 {
	convergence := 0.0
	if m.form == FormPaper {
		convergence = Convergence(t)
	}
	return m.amplitudeAt(t.N, m.batch(t.Rate, t.Speed), convergence)
}

// amplitudeAt is amplitude with the batch and the convergence coefficient, which the paper's form reads.
func (m *ASP) amplitudeAt(n int, batch, convergence float64) float64 {
	coef := &m.coef
	amplitude := (coef.Gamma2*batch + coef.Gamma3) * math.Sqrt(float64(n))
	if m.form == FormPaper {
		amplitude *= math.Sqrt(convergence + coef.Gamma4)
	}
	return amplitude
}

// batch returns the weighted-average batch b_w (Eq. 4), samples.
func (m *ASP) batch(rate, speed float64) float64 {
	if m.form == FormArtifact {
		return math.Floor(speed/rate*10+0.5) / 10 // not math.Round, which costs four times as much
	}
	return speed / rate
}

// Convergence returns the convergence coefficient R (Eq. 5): the distance of
// the workers' shares of the speed, the largest first, from (1, 0, ..., 0).
func Convergence(t *sim.Tally) float64 {
	square := t.Square/(t.Speed*t.Speed) - 2*t.Top/t.Speed + 1
	if square < 0 { // not max, which is a call where there is no instruction for it
		square = 0
	}
	return math.Sqrt(square)
}

// tally adds up the workers of a layout: none without a parameter server, which
// holds what they train.
func (m *ASP) tally(l *sim.Layout, t *sim.Tally) {
	if l.Servers < 1 {
		return
	}
	workers := l.Total()
	if workers <= tabled && l.Servers == 1 {
		t.AddAll(l.Workers, m.table[workers])
		return
	}
	comm := 2 * m.coef.ParameterMB / m.coef.Bandwidth(workers, l.Servers, 0)
	for p, k := range l.Workers {
		if k != 0 {
			t.Add(int(k), m.workers[p].alone(comm))
		}
	}
}

// Rate implements sim.Model. The expected time of a normalised iteration is
// 1/(sum of 1/T_i) (Eq. 2).
func (m *ASP) Rate(l *sim.Layout) sim.Rate {
	var tally sim.Tally
	m.tally(l, &tally)
	if tally.N == 0 {
		return sim.Rate{}
	}
	amplitude := m.amplitude(&tally)
	if amplitude <= 0 {
		return sim.Rate{}
	}
	return sim.Rate{Progress: tally.Rate / amplitude, Iterations: tally.Rate, Samples: tally.Speed,
		Working: int32(tally.N)}
}

// MixingGain returns by what factor n workers of several types may be faster, at most, than
// the square of a sum over a sum that gives the progress of workers alike (package bound).
// In the artifact's form that is the rounding of the batch; in the paper's, the convergence
// coefficient is smaller where one worker has a larger share of the speed, as in
// MinIterations.
func (m *ASP) MixingGain(n int) float64 {
	switch m.form {
	case FormArtifact:
		smallest := math.Inf(1)
		for i := range m.workers {
			smallest = min(smallest, m.coef.Gamma2*m.workers[i].batch+m.coef.Gamma3)
		}
		return smallest / max(smallest-0.05*math.Abs(m.coef.Gamma2), smallest/2)
	case FormPaper:
		return m.unlike(n)
	}
	return 1
}

// unlike is MixingGain of the paper's form: speeds differ the most with one server, or where
// servers are no limit.
func (m *ASP) unlike(n int) float64 {
	ratio := 1.0
	for _, bandwidth := range [2]float64{m.coef.Bandwidth(n, 1, 0), m.coef.WorkerMBps} {
		slowest := math.Inf(1)
		fastest := 0.0
		for i := range m.workers {
			speed := m.workers[i].alone(2 * m.coef.ParameterMB / bandwidth).Speed
			slowest = min(slowest, speed)
			fastest = max(fastest, speed)
		}
		ratio = max(ratio, fastest/slowest)
	}
	if n < 2 {
		return 1
	}
	others := float64(n - 1)
	alike := math.Sqrt(others / float64(n))
	smallest := others / (ratio + others) * math.Sqrt(float64(n)/others)
	return math.Sqrt((alike + m.coef.Gamma4) / (smallest + m.coef.Gamma4))
}

// NeedsServers implements sim.WorkerModel: what is trained is on the PS.
func (m *ASP) NeedsServers() bool { return true }

// Begin implements sim.Model: at Coefficients.BeginLoss, or at j = 0 on the cluster
// that was planned.
func (m *ASP) Begin(l *sim.Layout) float64 {
	if m.coef.BeginLoss > 0 {
		return m.Goal(m.coef.BeginLoss)
	}
	var tally sim.Tally
	m.tally(l, &tally)
	if amplitude := m.amplitude(&tally); tally.N > 0 && amplitude > 0 {
		return m.coef.Gamma1 / amplitude
	}
	return 0
}

// HighestBegin returns a loss above which training begins on no cluster of at most n workers, n from 1. The amplitude
// rises with the number of workers, is linear in the mean batch, and in the paper's form is largest where all are
// equally fast.
func (m *ASP) HighestBegin(n int) float64 {
	if m.coef.BeginLoss > 0 {
		return m.coef.BeginLoss
	}
	alike := math.Sqrt(float64(n-1) / float64(n))
	highest := 0.0
	for i := range m.workers {
		highest = max(highest, m.amplitudeAt(n, m.workers[i].batch, alike))
	}
	return m.coef.Gamma5 + highest/m.coef.Gamma1
}

// Goal implements sim.Model; a loss at or below gamma5 is never reached.
func (m *ASP) Goal(loss float64) float64 {
	if loss <= m.coef.Gamma5 {
		return math.Inf(1)
	}
	return 1 / (loss - m.coef.Gamma5)
}

// Loss implements sim.Model.
func (m *ASP) Loss(progress float64) float64 { return m.coef.Gamma5 + 1/progress }

// Floor returns the loss that no training reaches, gamma5.
func (m *ASP) Floor() float64 { return m.coef.Gamma5 }

// Change implements sim.Model: workers join and leave without stopping the
// others, and the parameters are safe on the PS. If the last PS was given back,
// what was not saved is lost with it.
func (m *ASP) Change(c *sim.Change) sim.Pause { return sim.Pause{Rollback: c.Unserved} }

// SaveTime implements sim.Model: the PS saves while the workers go on.
func (m *ASP) SaveTime(*sim.Layout) (stall, persist time.Duration) { return 0, 0 }

// stretch is how many pools RateInto passes over together if none of them has a worker.
const stretch = 16

// RateInto implements sim.ElasticModel, for the artifact's form with one server: rates and speeds added up in the
// order of the pools, as Tally.AddAll does, without what that form does not read.
func (m *ASP) RateInto(self sim.Model, workers []int32, n int, servers int32, into *sim.Rate) bool {
	if self != sim.Model(m) || m.form == FormPaper || servers != 1 || n < 1 || n > tabled {
		return false
	}
	alone := m.table[n]
	rate := 0.0
	speed := 0.0
	for len(workers) > stretch {
		if slices.Max(workers[:stretch]) > 0 { // of the many pools of a wide market most have none
			rate, speed = add(workers[:stretch], alone, rate, speed)
		}
		workers = workers[stretch:]
		alone = alone[stretch:]
	}
	rate, speed = add(workers, alone, rate, speed)
	amplitude := 0.0
	if m.alike != nil { // without waiting for the sums
		amplitude = m.alike[n]
	} else {
		amplitude = m.amplitudeAt(n, m.batch(rate, speed), 0)
	}
	if amplitude <= 0 {
		return false
	}
	into.Progress = rate / amplitude
	into.Iterations = rate
	into.Samples = speed
	into.Working = int32(n)
	into.Redundant = 0
	into.Step = 0
	return true
}

// add adds the rates and speeds of workers, by pool, to sums.
func add(workers []int32, alone []sim.Worker, rate, speed float64) (float64, float64) {
	alone = alone[:len(workers)]
	for p, k := range workers {
		count := float64(k)
		worker := &alone[p]
		rate += float64(count * worker.Rate)
		speed += float64(count * worker.Speed)
	}
	return rate, speed
}

// tabulate fills in alike. The artifact rounds the average, so that what adding up rounds is lost: of workers with one
// batch, for which that is checked here, the average is the batch.
func (m *ASP) tabulate() {
	const slack = 1e-9 // relative, of sums of up to tabled workers: more than they have
	for i := range m.workers {
		batch := m.workers[i].batch
		if m.form != FormArtifact || batch != m.workers[0].batch ||
			m.batch(1, batch-slack*batch) != m.batch(1, batch+slack*batch) {
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
