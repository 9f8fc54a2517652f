package sim

import (
	"fmt"
	"math"
	"sort"
	"time"
)

// Failures says how the machines of a pool fail and come back (Pool.Failures). A machine that fails takes its instances with it, without a
// notice; after its repair there is room for others. The pools that have the same Failures are one group, with one order of machines: the
// machines of a single pool, or a pool for each machine (Whole). It is shared and read only.
type Failures struct {
	// Whole says that each pool of the group is one machine, a server with all its GPUs: when it fails, all of the pool goes. Else each
	// instance of the one pool is on a machine of its own, of which there are as many as the quota, and the standbys and spares.
	Whole bool

	// PerHour is the rate of failures of a machine that is up, at least 0. Times between them are exponential; with a Shape they are
	// Weibull's, with a Sigma lognormal, of the mean 1/PerHour, from the run's start or the last repair on.
	PerHour      float64
	Shape, Sigma float64
	// Outages are failures that were recorded, in ascending order of From; PerHour and Repairs do not count then.
	Outages []Outage

	// BadShare is the share of machines that are bad, in [0, 1]: they have BadTimes the rate in addition, until a repair works.
	BadShare, BadTimes float64
	// OnlyTraining says that machines fail only while a job trains on them: of exponential times only.
	OnlyTraining bool
	// Detect is the time from a failure until it is seen: nothing replaces the machine before, and the job does not train.
	Detect time.Duration
	// Undiagnosed and Misdiagnosed are shares of the failures, in [0, 1]: the machine is back at once without a repair, or another machine
	// on which the same job trains is repaired in its place.
	Undiagnosed, Misdiagnosed float64

	// Repairs are the stages of a repair, at most MaxRepairs; without any a machine that fails is gone.
	Repairs []Repair
	// Retire is the number of failures within a time after which a machine is not repaired; 0: never.
	Retire int
	Within time.Duration

	// Standbys are machines beyond the quota that are up and idle. With any, an instance on a machine that is up is ready at once, but for
	// those of the run's first instant. Spares do other work: an instance on one is ready SpareWait later. Not of a Whole group.
	Standbys, Spares int
	SpareWait        time.Duration
}

// Outage is a failure that was recorded.
type Outage struct {
	Machine     int  // from 0; of those that the group does not have nothing happens
	From, Until Time // Never: it does not come back
}

// Repair is a stage of a repair.
type Repair struct {
	Boot  // its time: exponential with the mean Mean if that is above 0, else lognormal
	Mean  time.Duration
	Ends  float64 // share of the machines that come to it whose repair ends with it, in [0, 1]; of the last stage all
	Works float64 // share of these that are no bad machines any more, in [0, 1]
}

// MaxRepairs is the largest number of stages of a repair.
const MaxRepairs = 4

// machines is how many machines a pool of instances has.
func (x *Failures) machines(quota int) int { return quota + x.Standbys + x.Spares }

func (x *Failures) check() error {
	share := func(s float64) bool { return s >= 0 && s <= 1 }
	switch {
	case !(x.PerHour >= 0) || !finite(x.PerHour) || !(x.Shape >= 0) || !(x.Sigma >= 0 && x.Sigma < 10) || x.Shape > 0 && x.Sigma > 0:
		return fmt.Errorf("failures: %v an hour, shape %v, spread %v, expected at least 0, and one of shape and spread", x.PerHour, x.Shape, x.Sigma)
	case !share(x.BadShare) || !(x.BadTimes >= 0) || !finite(x.BadTimes) || !share(x.Undiagnosed) || !share(x.Misdiagnosed):
		return fmt.Errorf("failures: shares %v, %v and %v, expected 0 to 1, and a factor %v of at least 0", x.BadShare, x.Undiagnosed, x.Misdiagnosed, x.BadTimes)
	case x.OnlyTraining && (x.Shape > 0 || x.Sigma > 0 || len(x.Outages) > 0):
		return fmt.Errorf("failures while a job trains only, expected exponential times")
	case x.Detect < 0 || x.SpareWait < 0 || x.Standbys < 0 || x.Spares < 0 || x.Retire < 0 || x.Retire > 0 && x.Within <= 0:
		return fmt.Errorf("failures: times and numbers are expected to be at least 0, and retirement to have a time")
	case x.Whole && x.Standbys+x.Spares > 0:
		return fmt.Errorf("failures of whole pools with %d standbys and spares, expected none", x.Standbys+x.Spares)
	case len(x.Repairs) > MaxRepairs:
		return fmt.Errorf("failures: %d stages of a repair, expected at most %d", len(x.Repairs), MaxRepairs)
	case !sort.SliceIsSorted(x.Outages, func(i, j int) bool { return x.Outages[i].From < x.Outages[j].From }):
		return fmt.Errorf("failures: the outages are not in ascending order")
	}
	for i, r := range x.Repairs {
		if r.Mean < 0 || r.Median < 0 || !(r.Sigma >= 0 && r.Sigma < 10) || !share(r.Ends) || !share(r.Works) {
			return fmt.Errorf("failures: stage %d of a repair: %+v, expected times of at least 0 and shares of 0 to 1", i, r)
		}
	}
	return nil
}

// lasting draws how long a machine is up by a law of the mean 1 that is not exponential.
func (x *Failures) lasting(d Stream, n uint64) float64 {
	if x.Shape > 0 {
		return math.Pow(d.Exponential(n), 1/x.Shape) / math.Gamma(1+1/x.Shape)
	}
	return math.Exp(x.Sigma*d.Normal(n) - x.Sigma*x.Sigma/2)
}

// clocks reports whether each machine has a clock of its own.
func (x *Failures) clocks() bool {
	return x.PerHour > 0 && len(x.Outages) == 0 && (x.Shape > 0 || x.Sigma > 0)
}
