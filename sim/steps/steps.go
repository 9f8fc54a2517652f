// Package steps simulates data-parallel training mini-batch by mini-batch, in five
// modes of synchronisation. It is exact where a World of package sim trains at mean
// rates, and so it is the check of those rates:
//
//	var s steps.Simulator
//	totals := s.Run(steps.Config{Mode: steps.BSP, Workers: workers, Updates: 1000, Seed: 1})
package steps

import (
	"slices"
	"time"

	"github.com/marigram/marigram/sim"
)

// Distribution is a distribution of seconds, by its quantiles: at least 0 for p in
// [0, 1). The distributions of gonum's distuv implement it.
type Distribution interface{ Quantile(p float64) float64 }

// Slowdown makes a worker a straggler for a while.
type Slowdown struct {
	From, To sim.Time      // mini-batches that begin in [From, To)
	Factor   float64       // take that many times as long, more than 0
	Delay    time.Duration // and so much longer
}

// Worker is one worker. One that is replaced is two workers.
type Worker struct {
	Seconds Distribution // of one mini-batch
	Joins   sim.Time
	Leaves  sim.Time // revoked; 0 or Never: it stays
	Slow    []Slowdown
}

// Config is everything that a run depends on.
type Config struct {
	Mode      Mode
	Staleness int // SSP: mini-batches, at least 0
	Backups   int // Backup: workers whose mini-batches are not waited for, at least 0
	Workers   []Worker
	// Exchange is added to each iteration in the modes with a barrier, and
	// ExchangeEach for every worker that began it.
	Exchange, ExchangeEach time.Duration
	// The run ends after Updates updates, or when the slowest worker has done
	// Clocks mini-batches (with a barrier: after Clocks iterations). 0 is no
	// bound; one of them is needed.
	Updates, Clocks int
	Seed            uint64
}

// Totals are the results of one run.
type Totals struct {
	End      sim.Time
	Finished bool // false: all workers left before the bound
	Updates  int
	Aborted  int // iterations begun again after a loss
	// Ends holds the end of each iteration (with a barrier) or update.
	Ends []sim.Time
	// Worker time: in mini-batches that became updates, in those that were
	// dropped, lost or under way at the end, and waiting for others or for the
	// exchange.
	Useful, Wasted, Waiting sim.MachineTime
}

type phase uint8

const (
	away phase = iota
	waiting
	working
	gone
)

// worker is the changing part of a worker.
type worker struct {
	phase       phase
	inIteration bool     // it takes part in the present iteration
	since       sim.Time // when the phase began
	spent       sim.Time // on the mini-batch that it has finished in the present iteration
	draws       uint64   // mini-batches begun
	clock       int      // mini-batches done
}

// Simulator simulates data-parallel training mini-batch by mini-batch: exact where
// the world's rates are means, and the check of them. The zero value is ready;
// runs after the first reuse its memory.
type Simulator struct {
	cfg     Config
	rand    sim.Rand
	timers  sim.Timers // by worker: joins or leaves, finishes; then the iteration
	workers []worker
	now     sim.Time

	running, finished, need int // present iteration: mini-batches under way, done, waited for
	exchanging              bool
	slowest                 int // least clock of those that are there
	totals                  Totals
}

// Run simulates training and returns its totals, which are valid until the next run. A
// config without workers or bound, or with a negative number, panics.
func (s *Simulator) Run(config Config) *Totals {
	negative := config.Staleness < 0 || config.Backups < 0 || config.Updates < 0 || config.Clocks < 0
	if len(config.Workers) == 0 || negative || config.Updates+config.Clocks == 0 {
		panic("sim: Steps.Run: expected workers, a bound on updates or clocks, and no negative numbers")
	}
	s.reset(config)
	n := len(s.workers)
	for !s.done() {
		at, slot := s.timers.First()
		if at == sim.Never {
			break
		}
		s.now = at
		switch {
		case slot < n && s.workers[slot].phase == away:
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
	s.totals.End = s.now
	s.totals.Finished = s.done()
	for i := range s.workers {
		s.stop(i)
	}
	return &s.totals
}

// lastInstant is 2283 years, which leaves room for 255 workers in packed timers.
const lastInstant = sim.Time(1) << 55

func (s *Simulator) reset(config Config) {
	n := len(config.Workers)
	s.cfg = config
	s.rand = sim.Rand{Seed: config.Seed}
	s.now = 0
	s.timers.Reset(2*n+1, lastInstant)
	s.workers = slices.Grow(s.workers[:0], n)[:n]
	clear(s.workers)
	for i := range config.Workers {
		s.timers.Set(i, config.Workers[i].Joins)
	}
	s.running = 0
	s.finished = 0
	s.need = 0
	s.exchanging = false
	s.slowest = 0
	s.totals = Totals{Ends: s.totals.Ends[:0]}
}

func (s *Simulator) done() bool {
	clocks := s.slowest
	if s.cfg.Mode.Barrier() {
		clocks = len(s.totals.Ends)
	}
	return s.cfg.Updates > 0 && s.totals.Updates >= s.cfg.Updates || s.cfg.Clocks > 0 && clocks >= s.cfg.Clocks
}

// join makes worker i wait for its first mini-batch.
func (s *Simulator) join(i int) {
	worker := &s.workers[i]
	worker.phase = waiting
	worker.since = s.now
	leaves := s.cfg.Workers[i].Leaves
	if leaves == 0 {
		leaves = sim.Never
	}
	s.timers.Set(i, leaves)
	if !s.cfg.Mode.Barrier() {
		worker.clock = s.slowest
		s.start(i)
	} else if s.idle() {
		s.beginNext()
	}
}

// leave revokes worker i.
func (s *Simulator) leave(i int) {
	worker := &s.workers[i]
	s.timers.Set(i, sim.Never)
	interrupted := worker.inIteration && worker.phase == working
	s.stop(i)
	worker.phase = gone
	switch {
	case !s.cfg.Mode.Barrier():
		s.advance()
	case interrupted:
		s.missOne()
	}
}

// start begins a mini-batch of worker i.
func (s *Simulator) start(i int) {
	s.stop(i)
	worker := &s.workers[i]
	law := &s.cfg.Workers[i]
	seconds := law.Seconds.Quantile(s.rand.Uniform(sim.PurposeStep, uint64(i), worker.draws))
	for _, slow := range law.Slow {
		if slow.From <= s.now && s.now < slow.To {
			seconds = float64(seconds*slow.Factor) + slow.Delay.Seconds()
		}
	}
	worker.draws++
	worker.phase = working
	worker.since = s.now
	s.timers.Set(len(s.workers)+i, s.now.After(seconds))
}

// stop ends what worker i does, and counts its time: a mini-batch under way is wasted.
func (s *Simulator) stop(i int) {
	worker := &s.workers[i]
	span := sim.MachineTime(s.now - worker.since)
	switch worker.phase {
	case waiting:
		s.totals.Waiting += span
	case working:
		s.totals.Wasted += span
		s.timers.Set(len(s.workers)+i, sim.Never)
	default:
		return
	}
	worker.phase = waiting
	worker.since = s.now
}

// finish ends a mini-batch of worker i as done.
func (s *Simulator) finish(i int) {
	worker := &s.workers[i]
	s.timers.Set(len(s.workers)+i, sim.Never)
	worker.clock++
	worker.spent = s.now - worker.since
	worker.phase = waiting
	worker.since = s.now
	if s.cfg.Mode.Barrier() {
		s.running = s.running - 1
		s.finished = s.finished + 1
		s.barrier()
		return
	}
	s.totals.Useful += sim.MachineTime(worker.spent)
	s.totals.Updates++
	s.totals.Ends = append(s.totals.Ends, s.now)
	if worker.clock-1 == s.slowest {
		s.advance()
	}
	if worker.phase == waiting && s.ahead(worker.clock) {
		s.start(i)
	}
}

// advance finds the slowest worker again and lets those go on that waited for it.
func (s *Simulator) advance() {
	smallest := 0
	any := false
	for i := range s.workers {
		worker := &s.workers[i]
		if worker.there() && (!any || worker.clock < smallest) {
			smallest = worker.clock
			any = true
		}
	}
	if !any || smallest == s.slowest {
		return
	}
	s.slowest = smallest
	for i := range s.workers {
		worker := &s.workers[i]
		if worker.phase == waiting && s.ahead(worker.clock) {
			s.start(i)
		}
	}
}

// ahead reports whether a worker with clock mini-batches done may begin another.
func (s *Simulator) ahead(clock int) bool {
	return s.cfg.Mode == ASP || clock-s.slowest <= s.cfg.Staleness
}

func (w *worker) there() bool { return w.phase == waiting || w.phase == working }

// idle reports whether no iteration is under way.
func (s *Simulator) idle() bool { return s.running+s.finished == 0 && !s.exchanging }

// beginNext has an iteration begin when everything at this instant has happened.
func (s *Simulator) beginNext() {
	s.running = 0
	s.finished = 0
	s.need = 0
	s.timers.Set(2*len(s.workers), s.now)
}

// begin begins an iteration with all workers that are there.
func (s *Simulator) begin() {
	s.timers.Set(2*len(s.workers), sim.Never)
	for i := range s.workers {
		worker := &s.workers[i]
		if worker.inIteration = worker.there(); worker.inIteration {
			s.start(i)
			s.running++
		}
	}
	s.need = s.running
	if s.cfg.Mode == Backup {
		s.need = max(s.running-s.cfg.Backups, min(s.running, 1))
	}
}

// missOne goes on without the mini-batch of a worker that was revoked.
func (s *Simulator) missOne() {
	s.running--
	have := s.running + s.finished
	switch {
	case have >= s.need:
	case s.cfg.Mode == Flexible:
		s.need = have
		s.barrier()
	default:
		s.totals.Aborted++
		s.stopIteration()
		s.bookIteration(&s.totals.Wasted)
		s.beginNext()
	}
}

// barrier ends the present iteration if enough workers are done: what others do
// is dropped, and the exchange begins.
func (s *Simulator) barrier() {
	if s.need == 0 || s.finished < s.need {
		return
	}
	span := s.cfg.Exchange + s.cfg.ExchangeEach*time.Duration(s.stopIteration())
	s.exchanging = true
	s.timers.Set(2*len(s.workers), s.now.Add(span))
}

// stopIteration stops the mini-batches of the present iteration that are under way,
// and returns the number of workers that are in it.
func (s *Simulator) stopIteration() int {
	n := 0
	for i := range s.workers {
		worker := &s.workers[i]
		if worker.inIteration {
			n++
		}
		if worker.inIteration && worker.phase == working {
			s.stop(i)
		}
	}
	return n
}

// endIteration ends the exchange.
func (s *Simulator) endIteration() {
	s.exchanging = false
	s.totals.Updates += s.finished
	s.totals.Ends = append(s.totals.Ends, s.now)
	s.bookIteration(&s.totals.Useful)
	s.beginNext()
}

// bookIteration counts the time of the mini-batches that are done in the present iteration.
func (s *Simulator) bookIteration(as *sim.MachineTime) {
	for i := range s.workers {
		worker := &s.workers[i]
		*as += sim.MachineTime(worker.spent)
		worker.spent = 0
		worker.inIteration = false
	}
}
