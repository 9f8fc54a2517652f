package ps

import (
	"math"
	"sort"
	"time"

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
	barrier [tabled + 1]float64      // by number of workers alike: mean iteration without exchange, in mean mini-batches
	ssp     staleTable
}

// NewSynchronised returns base, a model for n pools, under a mode.
func NewSynchronised(base sim.WorkerModel, pools int, by Synchrony) (*Synchronised, error) {
	if err := by.Check(); err != nil {
		return nil, err
	}
	m := &Synchronised{by: by}
	one := groups{{n: 1, rate: 1}}
	for n := 1; n <= tabled && by.Mode.Barrier(); n++ {
		one[0].n = n
		m.barrier[n] = by.iteration(one[:1])
	}
	if by.Mode == steps.SSP {
		m.ssp = newStaleTable(&by)
	}
	return m.Over(base, pools), nil
}

// Over returns another model, for n pools, under the same mode.
func (m *Synchronised) Over(base sim.WorkerModel, pools int) *Synchronised {
	c := *m
	c.WorkerModel = base
	for n := range c.workers {
		c.workers[n] = make([]sim.Worker, pools)
		base.Workers(max(n, 1), 0, c.workers[n])
	}
	return &c
}

// updates returns the updates per second of the groups, n workers in all.
func (m *Synchronised) updates(groups []group, n int) float64 {
	switch {
	case m.by.Mode == steps.ASP:
		sum := 0.0
		for _, g := range groups {
			sum += float64(float64(g.n) * g.rate)
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
func (m *Synchronised) groupsOf(l *sim.Layout, into *groups) (groups []group, n int) {
	total := l.Total()
	workers := m.workers[min(total, tabled)]
	if total > tabled { // allocates: few layouts are so large
		workers = make([]sim.Worker, len(l.Workers))
		m.WorkerModel.Workers(total, 0, workers)
	}
	k := 0
	for p, count := range l.Workers {
		if count == 0 || workers[p].Rate == 0 {
			continue
		}
		same := 0
		for same < k && into[same].rate != workers[p].Rate {
			same++
		}
		if same == k {
			if k == maxGroups {
				panic("ps: Synchronised: more than 64 kinds of workers in one layout")
			}
			into[k] = group{rate: workers[p].Rate}
			k++
		}
		into[same].n += int(count)
		n += int(count)
	}
	return into[:k], n
}

// Rate implements sim.Model.
func (m *Synchronised) Rate(l *sim.Layout) sim.Rate {
	rate := m.WorkerModel.Rate(l)
	if rate.Progress == 0 || m.by.Mode == steps.ASP {
		return rate
	}
	var scratch groups
	groups, n := m.groupsOf(l, &scratch)
	alone := 0.0
	for _, g := range groups {
		alone += float64(float64(g.n) * g.rate)
	}
	share := m.updates(groups, n) / alone
	rate.Progress *= share
	rate.Iterations *= share
	rate.Samples *= share
	rate.Redundant = 1 - float64(m.by.waitedFor(n))/float64(n)
	return rate
}

// Workers implements sim.WorkerModel.
func (m *Synchronised) Workers(n int, margin float64, into []sim.Worker) {
	m.WorkerModel.Workers(n, margin, into)
	for p := range into {
		if w := &into[p]; w.Rate > 0 {
			alike := [1]group{{n, w.Rate}}
			share := m.updates(alike[:], n) / (float64(n) * w.Rate)
			w.Rate *= share
			w.Speed *= share
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
	if groups, n := m.groupsOf(c.From, &scratch); n > 0 {
		if pause.Stall == 0 {
			pause.As = sim.Restoring
		}
		pause.Stall += secondsToSpan(m.iteration(groups, n) / 2)
	}
	return pause
}

func secondsToSpan(s float64) time.Duration {
	return time.Duration(math.Round(s * float64(time.Second)))
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
	for k, n := range staleSizes {
		c := steps.Config{Mode: steps.SSP, Staleness: y.Staleness, Workers: workers[:n], Updates: staleStart, Seed: 1}
		waited, end := waiting(&simulator, c)
		c.Updates = staleUpdates
		later, until := waiting(&simulator, c)
		t[k] = 1 - float64(later-waited)/(float64(n)*float64(until-end))
	}
	return t
}

// waiting returns how long workers wait in a run and how long it takes. The
// share of waiting is less noisy than the rate, which the luck of the
// mini-batches moves too.
func waiting(s *steps.Simulator, c steps.Config) (waits sim.MachineTime, end sim.Time) {
	r := s.Run(c)
	return r.Waiting, r.End
}

// share returns the share for n workers, linear between the sizes and constant
// beyond them; 0 of no workers.
func (t *staleTable) share(n int) float64 {
	if n <= 0 {
		return 0
	}
	k := sort.SearchInts(staleSizes[:], n)
	if k == len(t) {
		return t[k-1]
	}
	if staleSizes[k] == n {
		return t[k]
	}
	from, to := staleSizes[k-1], staleSizes[k]
	return t[k-1] + (t[k]-t[k-1])*float64(n-from)/float64(to-from)
}

// updates returns the updates per second of the groups. All go at one pace in
// the long run: that of the group which, with the slower ones, is held back most.
func (t *staleTable) updates(groups []group, n int) float64 {
	pace := 0.0
	for i, g := range groups {
		slower := 0
		for _, h := range groups {
			if h.rate <= g.rate {
				slower += h.n
			}
		}
		if own := g.rate * t.share(slower); i == 0 || own < pace {
			pace = own
		}
	}
	return float64(n) * pace
}
