package sim

import (
	"fmt"
	"math"
	"sort"
	"time"
)

// Slow says how the machines of a pool become slow and are fast again, and what is done about it. A machine that is
// slow is held and paid as one that is not; the steps of the job on it take longer. Times and factors are drawn by
// the seed, the machine and a counter, so that two policies meet the same. A machine of a Whole pool is the pool, a
// server with all its GPUs, from the start of the run on. Else each instance is on a machine of its own, which nobody
// had before.
type Slow struct {
	Whole    bool
	Laws     []SlowLaw // at most MaxSlowLaws
	Episodes []Episode // that were recorded, instead of Laws, in ascending order of Machine and From

	// Network and Rest are the shares of a step of fast machines, in [0, 1] together, that are communication which
	// nothing hides, and what no machine makes slower. The others compute.
	Network, Rest float64
	// MicroBatches is how many a step has for each pipeline, or worker, the same in all pools; 0: so many that filling
	// pipelines takes no time.
	MicroBatches int

	// A machine that stretches a step by SeenFrom or more is seen SeenAfter later, and others never.
	SeenAfter time.Duration
	SeenFrom  float64
	// FalsePerDay is how often, of each machine, one is seen that is none.
	FalsePerDay float64
	Do          SlowDo
	// Move is for how long a job stops when the place of a slow machine is exchanged (SlowMove).
	Move time.Duration
	// Cost is what a replacement takes of the job's time, as whoever replaces believes: SlowSkiRental waits until as
	// much is lost, and none is replaced where the job would not lose as much until its end.
	Cost time.Duration
	// Repair is how long a server is away when it was replaced; it is as others then. 0: it stays, and is slow.
	Repair time.Duration
}

// SlowLaw says when machines of a pool become slow: episodes, several of which may be in force on one machine, whose
// factors multiply.
type SlowLaw struct {
	// BadShare is the share of machines that are slow from their start on, until they are repaired: each is by a draw
	// of its own. Then the law has no rate.
	BadShare float64
	// PerHour is the rate of episodes of a machine, at exponential times.
	PerHour float64
	// An episode lasts for an exponential time of the mean Mean if that is above 0, else for a lognormal time.
	Mean  time.Duration
	Lasts Boot
	// The factor is that of one of Times by their shares, which add up to 1, or else 1 plus a lognormal number.
	Times         []SlowTimes
	Median, Sigma float64
	OnNetwork     bool // what becomes slower is communication, not computing
}

// SlowTimes is a factor, at least 1, that a share of the episodes has.
type SlowTimes struct{ Times, Share float64 }

// Episode is a time in which a machine was slow. Machines are numbered from 0: of a pool that is not Whole by its
// grants.
type Episode struct {
	Machine          int
	From, Until      Time    // Never: for good
	Compute, Network float64 // factors, at least 1
}

// SlowDo is what is done about a slow machine.
type SlowDo uint8

// What is done about slow machines.
const (
	SlowKeep    SlowDo = iota // nothing
	SlowReplace               // it is replaced as soon as it is seen
	// SlowSkiRental: when the job has lost as much by it as a replacement costs, which is at most twice the best in
	// hindsight.
	SlowSkiRental
	// SlowRebalance: micro-batches are shared between the workers, or the pipelines, by how slow they are, without a
	// stop. With one of them alone it does nothing.
	SlowRebalance
	// SlowMove: they are shared, and slow machines change places, so that as few pipelines as can be have any, if steps
	// are shorter then.
	SlowMove
	// SlowEscalate: they are shared at once, the machine is moved when as much is lost as Move, and it is replaced when
	// as much is lost as Cost.
	SlowEscalate
)

// MaxSlowLaws is the largest number of laws of a pool.
const MaxSlowLaws = 4

// maxFactor bounds factors of slow machines.
const maxFactor = 1e6

func (x *Slow) check() error {
	factor := func(f float64) bool { return f >= 1 && f <= maxFactor }
	switch {
	case len(x.Laws) > MaxSlowLaws:
		return fmt.Errorf("slow: %d laws, expected at most %d", len(x.Laws), MaxSlowLaws)
	case !(x.Network >= 0 && x.Rest >= 0 && x.Network+x.Rest <= 1):
		return fmt.Errorf("slow: shares %v and %v of a step, expected at least 0, and at most 1 together",
			x.Network, x.Rest)
	case x.MicroBatches < 0 || x.SeenAfter < 0 || x.Cost < 0 || x.Repair < 0 || x.Move < 0 || x.Do > SlowEscalate:
		return fmt.Errorf("slow: micro-batches %d, times %v, %v, %v and %v, reaction %d, "+
			"expected at least 0, and a known one", x.MicroBatches, x.SeenAfter, x.Cost, x.Move, x.Repair, x.Do)
	case !(x.FalsePerDay >= 0 && x.FalsePerDay <= 86400):
		return fmt.Errorf("slow: %v false alarms a day, expected 0 to 86400", x.FalsePerDay)
	case x.Do != SlowKeep && !factor(x.SeenFrom):
		return fmt.Errorf("slow: seen from a factor of %v, expected 1 or more", x.SeenFrom)
	case !sort.SliceIsSorted(x.Episodes, func(i, j int) bool { return x.Episodes[i].before(&x.Episodes[j]) }):
		return fmt.Errorf("slow: the episodes are not in ascending order of machine and time")
	}
	for i := range x.Episodes {
		if one := &x.Episodes[i]; one.From >= one.Until || !factor(one.Compute) || !factor(one.Network) {
			return fmt.Errorf("slow: episode %d: %+v, expected an end after its beginning, and factors of 1 or more",
				i, *one)
		}
	}
	for i := range x.Laws {
		if err := x.Laws[i].check(); err != nil {
			return fmt.Errorf("slow: law %d: %w", i, err)
		}
	}
	return nil
}

func (e *Episode) before(other *Episode) bool {
	return e.Machine < other.Machine || e.Machine == other.Machine && e.From < other.From
}

func (l *SlowLaw) check() error {
	const fastest = 3600 // episodes an hour: one a second
	switch {
	case !(l.BadShare >= 0 && l.BadShare <= 1),
		!(l.PerHour >= 0 && l.PerHour <= fastest),
		l.BadShare > 0 && l.PerHour > 0:
		return fmt.Errorf("share %v, %v episodes an hour, expected a share of 0 to 1 or 0 to %d an hour",
			l.BadShare, l.PerHour, fastest)
	case l.Mean < 0 || l.Lasts.Median < 0,
		!(l.Lasts.Sigma >= 0 && l.Lasts.Sigma < 10),
		l.PerHour > 0 && l.Mean+l.Lasts.Median == 0:
		return fmt.Errorf("lasts %v, %+v, expected a time above 0 and a spread below 10", l.Mean, l.Lasts)
	case !(l.Median >= 0 && l.Median <= maxFactor) || !(l.Sigma >= 0 && l.Sigma < 10):
		return fmt.Errorf("factor 1 + %v, spread %v, expected at least 0", l.Median, l.Sigma)
	}
	sum := 0.0
	for _, one := range l.Times {
		if !(one.Times >= 1 && one.Times <= maxFactor && one.Share >= 0) {
			return fmt.Errorf("%+v, expected a factor of 1 or more, and a share", one)
		}
		sum += one.Share
	}
	if len(l.Times) > 0 && math.Abs(sum-1) > 1e-9 {
		return fmt.Errorf("shares that add up to %v, expected 1", sum)
	}
	return nil
}

// factor draws how much slower an episode makes a machine.
func (l *SlowLaw) factor(draws Stream, n uint64) float64 {
	if len(l.Times) == 0 {
		return min(1+l.Median*math.Exp(l.Sigma*draws.Normal(n)), maxFactor)
	}
	left := draws.Uniform(n)
	for _, one := range l.Times {
		if left -= one.Share; left < 0 {
			return one.Times
		}
	}
	return l.Times[len(l.Times)-1].Times // rounding
}

// lasting draws how many seconds an episode lasts.
func (l *SlowLaw) lasting(draws Stream, n uint64) float64 {
	if l.Mean > 0 {
		return l.Mean.Seconds() * draws.Exponential(n)
	}
	return l.Lasts.Median.Seconds() * math.Exp(l.Lasts.Sigma*draws.Normal(n))
}

// computing is the share of a step that computes.
func (x *Slow) computing() float64 { return 1 - x.Network - x.Rest }

// step is how much longer a step takes whose computing and communication take longer by factors.
func (x *Slow) step(compute, network float64) float64 {
	return 1 + x.computing()*(compute-1) + x.Network*(network-1)
}
