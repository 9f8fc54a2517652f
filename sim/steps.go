package sim

import (
	"slices"
	"time"
)

// Law is the distribution of the seconds of one mini-batch, by its quantiles:
// at least 0 for p in [0, 1). The laws of gonum's distuv are such.
type Law interface{ Quantile(p float64) float64 }

// Slowdown makes a worker a straggler for a while.
type Slowdown struct {
	From, To Time          // mini-batches that begin in [From, To)
	Factor   float64       // take so many times as long, more than 0
	Delay    time.Duration // and so much longer
}

// StepWorker is one worker of Steps. One that is replaced is two workers.
type StepWorker struct {
	Law    Law
	Joins  Time
	Leaves Time // revoked; 0 or Never: it stays
	Slow   []Slowdown
}

// StepsConfig is everything that a run of Steps depends on.
type StepsConfig struct {
	Mode      Mode
	Staleness int // SSP: mini-batches, at least 0
	Backups   int // Backup: workers whose mini-batches are not waited for, at least 0
	Workers   []StepWorker
	// Exchange is added to each iteration in the modes with a barrier, and
	// ExchangeEach for every worker that began it.
	Exchange, ExchangeEach time.Duration
	// The run ends after Updates updates, or when the slowest worker has done
	// Clocks mini-batches (with a barrier: after Clocks iterations). 0 is no
	// bound; one of them is needed.
	Updates, Clocks int
	Seed            uint64
}

// StepsTotals are the books of one run.
type StepsTotals struct {
	End      Time
	Finished bool // false: all workers left before the bound
	Updates  int
	Aborted  int // iterations begun again after a loss
	// Ends holds the end of each iteration (with a barrier) or update.
	Ends []Time
	// Worker time: in mini-batches that became updates, in those that were
	// dropped, lost or under way at the end, and waiting for others or for the
	// exchange.
	Useful, Wasted, Waiting time.Duration
}

type stepPhase uint8

const (
	stepAway stepPhase = iota
	stepWaiting
	stepWorking
	stepGone
)

// stepWorker is the changing part of a worker.
type stepWorker struct {
	phase stepPhase
	crew  bool   // of the present iteration
	since Time   // when the phase began
	spent Time   // on the mini-batch that it has finished in the present iteration
	draws uint64 // mini-batches begun
	clock int    // mini-batches done
}

// Steps simulates data-parallel training mini-batch by mini-batch: exact where
// the world's rates are means, and the check of them. The zero value is ready;
// runs after the first reuse its memory.
type Steps struct {
	cfg     StepsConfig
	dice    Dice
	timers  Timers // by worker: joins or leaves, finishes; then the iteration
	workers []stepWorker
	now     Time

	running, finished, need int // present iteration: mini-batches under way, done, waited for
	exchanging              bool
	slowest                 int // least clock of those that are there
	totals                  StepsTotals
}

// Run simulates c and returns its books, which are valid until the next run. A
// config without workers or bound, or with a negative number, panics.
func (s *Steps) Run(c StepsConfig) *StepsTotals {
	if len(c.Workers) == 0 || c.Staleness < 0 || c.Backups < 0 || c.Updates < 0 || c.Clocks < 0 || c.Updates+c.Clocks == 0 {
		panic("sim: Steps.Run: expected workers, a bound on updates or clocks, and no negative numbers")
	}
	s.reset(c)
	n := len(s.workers)
	for !s.done() {
		at, slot := s.timers.First()
		if at == Never {
			break
		}
		s.now = at
		switch {
		case slot < n && s.workers[slot].phase == stepAway:
			s.join(slot)
		case slot < n:
			s.leave(slot)
		case slot < 2*n:
			s.finish(slot - n)
		case s.exchanging:
			s.endIteration()
		default:
			s.begin()
		}
	}
	s.totals.End, s.totals.Finished = s.now, s.done()
	for i := range s.workers {
		s.stop(i)
	}
	return &s.totals
}

// lastStep is 2283 years, which leaves room for 255 workers in packed timers.
const lastStep = Time(1) << 55

func (s *Steps) reset(c StepsConfig) {
	n := len(c.Workers)
	s.cfg, s.dice, s.now = c, Dice{c.Seed}, 0
	s.timers.Reset(2*n+1, lastStep)
	s.workers = slices.Grow(s.workers[:0], n)[:n]
	clear(s.workers)
	for i := range c.Workers {
		s.timers.Set(i, c.Workers[i].Joins)
	}
	s.running, s.finished, s.need, s.exchanging, s.slowest = 0, 0, 0, false, 0
	s.totals = StepsTotals{Ends: s.totals.Ends[:0]}
}

func (s *Steps) done() bool {
	clocks := s.slowest
	if s.cfg.Mode.Barrier() {
		clocks = len(s.totals.Ends)
	}
	return s.cfg.Updates > 0 && s.totals.Updates >= s.cfg.Updates || s.cfg.Clocks > 0 && clocks >= s.cfg.Clocks
}

// join makes worker i wait for its first mini-batch.
func (s *Steps) join(i int) {
	w := &s.workers[i]
	w.phase, w.since = stepWaiting, s.now
	leaves := s.cfg.Workers[i].Leaves
	if leaves == 0 {
		leaves = Never
	}
	s.timers.Set(i, leaves)
	if !s.cfg.Mode.Barrier() {
		w.clock = s.slowest
		s.start(i)
	} else if s.idle() {
		s.again()
	}
}

// leave revokes worker i.
func (s *Steps) leave(i int) {
	w := &s.workers[i]
	s.timers.Set(i, Never)
	working, crew := w.phase == stepWorking, w.crew
	s.stop(i)
	w.phase = stepGone
	switch {
	case !s.cfg.Mode.Barrier():
		s.advance()
	case crew && working:
		s.missOne()
	}
}

// start begins a mini-batch of worker i.
func (s *Steps) start(i int) {
	s.stop(i)
	w, law := &s.workers[i], &s.cfg.Workers[i]
	seconds := law.Law.Quantile(s.dice.Uniform(PurposeStep, uint64(i), w.draws))
	for _, x := range law.Slow {
		if x.From <= s.now && s.now < x.To {
			seconds = float64(seconds*x.Factor) + x.Delay.Seconds()
		}
	}
	w.draws++
	w.phase, w.since = stepWorking, s.now
	s.timers.Set(len(s.workers)+i, s.now.After(seconds))
}

// stop ends what worker i does, and books it: a mini-batch under way is wasted.
func (s *Steps) stop(i int) {
	w := &s.workers[i]
	span := s.now.Sub(w.since)
	switch w.phase {
	case stepWaiting:
		s.totals.Waiting += span
	case stepWorking:
		s.totals.Wasted += span
		s.timers.Set(len(s.workers)+i, Never)
	default:
		return
	}
	w.phase, w.since = stepWaiting, s.now
}

// finish ends a mini-batch of worker i as done.
func (s *Steps) finish(i int) {
	w := &s.workers[i]
	s.timers.Set(len(s.workers)+i, Never)
	w.clock++
	w.spent = s.now - w.since
	w.phase, w.since = stepWaiting, s.now
	if s.cfg.Mode.Barrier() {
		s.running, s.finished = s.running-1, s.finished+1
		s.barrier()
		return
	}
	s.totals.Useful += w.spent.Sub(0)
	s.totals.Updates++
	s.totals.Ends = append(s.totals.Ends, s.now)
	if w.clock-1 == s.slowest {
		s.advance()
	}
	if w.phase == stepWaiting && s.ahead(w.clock) {
		s.start(i)
	}
}
