package ps

import (
	"sort"

	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/steps"
)

// Synchronised is a model of workers side by side under a training mode: the
// fluid form of steps.Simulator. Where the base model trains asynchronously at the sum
// of its workers' rates, it trains at the mean rate of the mode: order
// statistics for those with a barrier, a table made by steps.Simulator for SSP. What
// an update is worth is the base model's (DEVIATIONS.md).
//
// It implements sim.WorkerModel: Workers gives each worker the rate that it has
// among its like, so that plans of one kind of worker are exact and those of
// several too fast.
type Synchronised struct {
	sim.WorkerModel
	by      Synchrony
	workers [tabled + 1][]sim.Worker // by number of workers and pool, of the base model
	// barrier is the mean iteration without exchange, in mean mini-batches, by number of workers alike.
	barrier [tabled + 1]float64
	ssp     staleTable
}

// NewSynchronised returns base, a model for n pools, under a mode.
func NewSynchronised(base sim.WorkerModel, pools int, by Synchrony) (*Synchronised, error) {
	if err := by.Check(); err != nil {
		return nil, err
	}
	model := &Synchronised{by: by}
	one := groups{{n: 1, rate: 1}}
	for workers := 1; workers <= tabled && by.Mode.Barrier(); workers++ {
		one[0].n = workers
		model.barrier[workers] = by.iteration(one[:1])
	}
	if by.Mode == steps.SSP {
		model.ssp = newStaleTable(&by)
	}
	return model.Over(base, pools), nil
}

// Over returns another model, for n pools, under the same mode.
func (m *Synchronised) Over(base sim.WorkerModel, pools int) *Synchronised {
	copied := *m
	copied.WorkerModel = base
	for workers := range copied.workers {
		copied.workers[workers] = make([]sim.Worker, pools)
		base.Workers(max(workers, 1), 0, copied.workers[workers])
	}
	return &copied
}

// updates returns the updates per second of the groups, n workers in all.
func (m *Synchronised) updates(groups []group, n int) float64 {
	switch {
	case m.by.Mode == steps.ASP:
		sum := 0.0
		for _, same := range groups {
			sum += float64(float64(same.n) * same.rate)
		}
		return sum
	case m.by.Mode == steps.SSP:
		return m.ssp.updates(groups, n)
	}
	return float64(m.by.waitedFor(n)) / m.iteration(groups, n)
}

// iteration returns the mean seconds of an iteration, its exchange included.
func (m *Synchronised) iteration(groups []group, n int) float64 {
	exchange := m.by.Exchange + float64(m.by.ExchangeEach*float64(n))
	if len(groups) == 1 && n <= tabled {
		return m.barrier[n]/groups[0].rate + exchange
	}
	return m.by.iteration(groups) + exchange
}

// groupsOf returns the groups of a layout and the number of workers in them, at
// the rates that they have with one parameter server.
func (m *Synchronised) groupsOf(l *sim.Layout, into *groups) (groups []group, counted int) {
	total := l.Total()
	workers := m.workers[min(total, tabled)]
	if total > tabled { // allocates: few layouts are so large
		workers = make([]sim.Worker, len(l.Workers))
		m.WorkerModel.Workers(total, 0, workers)
	}
	kinds := 0
	for p, count := range l.Workers {
		if count == 0 || workers[p].Rate == 0 {
			continue
		}
		same := 0
		for same < kinds && into[same].rate != workers[p].Rate {
			same++
		}
		if same == kinds {
			if kinds == maxGroups {
				panic("ps: Synchronised: more than 64 kinds of workers in one layout")
			}
			into[kinds] = group{rate: workers[p].Rate}
			kinds++
		}
		into[same].n += int(count)
		counted += int(count)
	}
	return into[:kinds], counted
}

// Rate implements sim.Model.
func (m *Synchronised) Rate(l *sim.Layout) sim.Rate {
	rate := m.WorkerModel.Rate(l)
	if rate.Progress == 0 || m.by.Mode == steps.ASP {
		return rate
	}
	var scratch groups
	groups, workers := m.groupsOf(l, &scratch)
	alone := 0.0
	for _, same := range groups {
		alone += float64(float64(same.n) * same.rate)
	}
	share := m.updates(groups, workers) / alone
	rate.Progress *= share
	rate.Iterations *= share
	rate.Samples *= share
	rate.Redundant = 1 - float64(m.by.waitedFor(workers))/float64(workers)
	return rate
}

// Workers implements sim.WorkerModel.
func (m *Synchronised) Workers(n int, margin float64, into []sim.Worker) {
	m.WorkerModel.Workers(n, margin, into)
	for p := range into {
		if worker := &into[p]; worker.Rate > 0 {
			alike := [1]group{{n, worker.Rate}}
			share := m.updates(alike[:], n) / (float64(n) * worker.Rate)
			worker.Rate *= share
			worker.Speed *= share
		}
	}
}

// Change implements sim.Model: a loss that starts the iteration again costs half
// of one on average.
func (m *Synchronised) Change(c *sim.Change) sim.Pause {
	pause := m.WorkerModel.Change(c)
	switch {
	case c.ChiefLost && m.by.ChiefLoss == ChiefIsMaster:
		return sim.Pause{Fatal: true}
	case c.ChiefLost && m.by.ChiefLoss == ChiefRollsBack:
		pause.Rollback = true
	}
	if c.Lost == 0 || !m.aborts(c) {
		return pause
	}
	var scratch groups
	if groups, workers := m.groupsOf(c.From, &scratch); workers > 0 {
		if pause.Stall == 0 {
			pause.As = sim.Restoring
		}
		pause.Stall += units.Seconds(m.iteration(groups, workers) / 2)
	}
	return pause
}

func (m *Synchronised) aborts(c *sim.Change) bool {
	return m.by.Mode == steps.BSP || m.by.Mode == steps.Backup &&
		int(c.Lost) > c.From.Total()-m.by.waitedFor(c.From.Total())
}

// staleSizes are the numbers of workers of a staleTable: all to 8, then four an
// octave.
var staleSizes = [...]int{1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64, 128, 256}

// staleTable is what SSP makes of workers alike, which has no closed form: by
// staleSizes, the share of the rate that they would have alone.
type staleTable [len(staleSizes)]float64

// Updates in a run of the table, and those of them on the way to the steady
// state, which do not count.
const staleUpdates, staleStart = 100_000, 25_000

// newStaleTable measures the shares with steps.Simulator, always with the same seed.
func newStaleTable(y *Synchrony) (t staleTable) {
	var simulator steps.Simulator
	workers := make([]steps.Worker, staleSizes[len(t)-1])
	for i := range workers {
		workers[i].Seconds = y.Distribution(1)
	}
	for k, size := range staleSizes {
		config := steps.Config{Mode: steps.SSP, Staleness: y.Staleness, Workers: workers[:size], Updates: staleStart,
			Seed: 1}
		waited, end := waiting(&simulator, config)
		config.Updates = staleUpdates
		later, until := waiting(&simulator, config)
		t[k] = 1 - float64(later-waited)/(float64(size)*float64(until-end))
	}
	return t
}

// waiting returns how long workers wait in a run and how long it takes. The
// share of waiting is less noisy than the rate, which the luck of the
// mini-batches moves too.
func waiting(s *steps.Simulator, c steps.Config) (waits sim.MachineTime, end sim.Time) {
	ran := s.Run(c)
	return ran.Waiting, ran.End
}

// share returns the share for n workers, linear between the sizes and constant
// beyond them; 0 of no workers.
func (t *staleTable) share(n int) float64 {
	if n <= 0 {
		return 0
	}
	above := sort.SearchInts(staleSizes[:], n)
	if above == len(t) {
		return t[above-1]
	}
	if staleSizes[above] == n {
		return t[above]
	}
	from := staleSizes[above-1]
	to := staleSizes[above]
	return t[above-1] + (t[above]-t[above-1])*float64(n-from)/float64(to-from)
}

// updates returns the updates per second of the groups. All go at one pace in
// the long run: that of the group which, with the slower ones, is held back most.
func (t *staleTable) updates(groups []group, n int) float64 {
	pace := 0.0
	for i, g := range groups {
		slower := 0
		for _, other := range groups {
			if other.rate <= g.rate {
				slower += other.n
			}
		}
		own := g.rate * t.share(slower)
		if i == 0 || own < pace {
			pace = own
		}
	}
	return float64(n) * pace
}
