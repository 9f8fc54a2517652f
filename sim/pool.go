package sim

import (
	"fmt"
	"math"
	"sort"
	"strconv"
	"time"
)

// Pool is one kind of instance in one place: an instance type in a zone, on the spot
// market or on demand.
type Pool struct {
	Name         string // unique in a market, for instance "us-east-1a/p3.2xlarge"
	Cloud        string // "aws", "gcp", "azure", "synthetic"; may be empty
	Region, Zone string
	// Above names what the region is part of, the narrowest first. Of a server, Region is its rack, and Above what
	// racks are in: a pod, a building. A name is of one such place. Empty: nothing is known above the region.
	Above        []string
	InstanceType string
	GPU          string // "V100"
	GPUs         int    // in one instance

	// Reserved says that the pool is a server of one's own: always there, and paid for whether
	// jobs use it or not.
	Reserved      bool
	OnDemand      bool    // bought on demand: never revoked, price never changes
	OnDemandPrice float64 // list price, USD per instance-hour; 0 when not known

	// Quota is the most instances of the pool that may be held at one time,
	// those under notice included. Zero allows none.
	Quota int

	// Failures says how the pool's machines fail and come back; nil: they do not.
	Failures *Failures
	// Slow says how the pool's machines become slow; nil: they do not.
	Slow *Slow

	// Notice is the warning that the cloud gives before it takes an instance
	// back: 120 s on AWS, 30 s on GCP and Azure (DefaultNotice). Traces
	// record removals, never notices, so it is an assumption of the replay.
	Notice time.Duration
	// NoticeMissing is the probability, in [0, 1], that no notice comes.
	NoticeMissing float64

	Boot   Boot
	Victim Victim

	// Granularity is how the pool's cloud counts billed time; nil: as Billing says.
	Granularity *Granularity
	// From is the instant at which a capacity block begins, and Until that at which it ends and all that is held goes,
	// both known long ahead; 0 for other pools.
	From, Until Time
	// Wait and Length make the pool queued capacity: a job's requests in it are granted Wait after
	// the first of them, which is announced (Held.WaitingSince), or later where there is no
	// room; and an instance goes Length after its grant, with the pool's notice. 0: neither.
	Wait, Length time.Duration
	// WaitSigma is the standard deviation of the logarithm of the wait, of which Wait is the median
	// then: what is drawn at the request is announced. 0: all wait for Wait.
	WaitSigma float64
}

// IsServer reports whether the pool is a server of one's own, also one that may fail or be away because it was slow.
func (p *Pool) IsServer() bool {
	return p.Reserved || p.Failures != nil && p.Failures.Whole || p.Slow != nil && p.Slow.Whole
}

func (p *Pool) check() error {
	switch {
	case p.Quota < 0:
		return fmt.Errorf("quota %d, expected at least 0", p.Quota)
	case p.Notice < 0:
		return fmt.Errorf("notice %v, expected at least 0", p.Notice)
	case !(p.NoticeMissing >= 0 && p.NoticeMissing <= 1):
		return fmt.Errorf("probability of a missing notice %v, expected 0 to 1", p.NoticeMissing)
	case p.Boot.Median < 0 || !(p.Boot.Sigma >= 0 && p.Boot.Sigma < 10):
		return fmt.Errorf("boot time %v spread %v, expected at least 0 and a spread below 10",
			p.Boot.Median, p.Boot.Sigma)
	case !finite(p.OnDemandPrice) || p.OnDemandPrice < 0:
		return fmt.Errorf("on-demand price %v, expected a finite number, at least 0", p.OnDemandPrice)
	case p.Wait < 0 || p.Length < 0 || p.From < 0 || p.Until < 0:
		return fmt.Errorf("wait %v, length %v, from %d us until %d us, expected at least 0",
			p.Wait, p.Length, int64(p.From), int64(p.Until))
	case !(p.WaitSigma >= 0 && p.WaitSigma < 10):
		return fmt.Errorf("spread of the wait %v, expected 0 to below 10", p.WaitSigma)
	case p.Granularity != nil && (p.Granularity.Increment < 0 || p.Granularity.Minimum < 0):
		return fmt.Errorf("billing increment %v, minimum %v, expected at least 0",
			p.Granularity.Increment, p.Granularity.Minimum)
	case int(p.Victim) >= len(victimNames):
		return fmt.Errorf("victim rule %d is not known", p.Victim)
	}
	if p.Slow != nil {
		if err := p.Slow.check(); err != nil {
			return err
		}
		if p.Failures != nil && p.Slow.Repair > 0 {
			return fmt.Errorf("slow: repairs of machines that fail, too: expected one of both")
		}
	}
	if p.Failures != nil {
		return p.Failures.check()
	}
	return nil
}

// DefaultNotice returns the notice that a cloud documents for its spot
// instances: AWS two minutes (EC2 user guide, "Spot Instance interruption
// notices"), GCP 30 s (Compute Engine, "Preemption process", ACPI G2 soft off),
// Azure 30 s (Scheduled Events, "Preempt"); 120 s for any other name.
func DefaultNotice(cloud string) time.Duration {
	if cloud == "gcp" || cloud == "azure" {
		return 30 * time.Second
	}
	return 120 * time.Second
}

// Victim is the rule by which the cloud picks the instance that it takes back when
// capacity falls below what is held. Traces of counts do not record it: it is an
// assumption of the replay.
type Victim uint8

// The victim rules.
const (
	VictimRandom Victim = iota // any, with equal probability
	VictimNewest               // the one granted last
	VictimOldest               // the one granted first
)

var victimNames = [...]string{"random", "newest", "oldest"}

func (v Victim) String() string { return victimNames[v] }

// Boot is the distribution of the time from the grant of an instance to its
// readiness for training. The zero value is an instance that is ready at once.
type Boot struct {
	// Median is the median time.
	Median time.Duration
	// Sigma is the standard deviation of the logarithm of the time (a
	// lognormal distribution); 0 makes every start take the median.
	Sigma float64
}

// Mean returns the mean of the distribution: median * exp(sigma^2/2).
func (b Boot) Mean() time.Duration {
	return time.Duration(float64(b.Median) * math.Exp(b.Sigma*b.Sigma/2))
}

// Draw returns the boot time of the n-th instance, from 0, that is granted in a pool of a
// name under a seed.
func (b Boot) Draw(seed uint64, pool string, n int) time.Duration {
	return b.draw(Rand{seed}.Stream(PurposeBoot, NameEntity(pool)), n)
}

// draw returns the boot time of the n-th instance granted in pool p.
func (b Boot) draw(draws Stream, n int) time.Duration {
	if b.Sigma == 0 || b.Median == 0 {
		return b.Median
	}
	return b.at(draws.Normal(uint64(n)))
}

// at returns the boot time that belongs to a normal number.
func (b Boot) at(normal float64) time.Duration {
	span := float64(b.Median) * math.Exp(b.Sigma*normal)
	if !(span < math.MaxInt64/2) {
		return math.MaxInt64 / 2
	}
	return time.Duration(span)
}

// drawLonger returns a boot time of the n-th instance that is longer than some span: the
// n-th draw, if it is, else one of the distribution's upper part.
func (b Boot) drawLonger(draws Stream, n int, than time.Duration) time.Duration {
	if span := b.draw(draws, n); span > than {
		return span
	}
	shorter := math.Erfc(-math.Log(float64(than)/float64(b.Median))/b.Sigma/math.Sqrt2) / 2
	uniform := shorter + (1-shorter)*draws.Uniform(uint64(n)+1<<32)
	return max(b.at(math.Sqrt2*math.Erfinv(2*uniform-1)), than)
}

// Boot times that a world keeps: of a number of seeds and instances of a pool, in no more rows than that.
const (
	seedsKept = 64
	bootsKept = 16
	bootRows  = 1024
)

// bootRow has what was drawn of a stream.
type bootRow struct {
	stream Stream
	of     Boot
	spans  [bootsKept]time.Duration // by ordinal; 0: not drawn
}

// tiersOf numbers the places that pools are in, tier by tier.
func tiersOf(pools []Pool) [][]int32 {
	above := 0
	for p := range pools {
		above = max(above, len(pools[p].Above))
	}
	tiers := make([][]int32, 1+above)
	for k := range tiers {
		tiers[k] = make([]int32, len(pools))
		numbers := map[string]int32{}
		next := int32(0)
		for p := range pools {
			pool := &pools[p]
			name := ""
			switch {
			case k == 0:
				name = "region " + pool.Region
			case k <= len(pool.Above):
				name = "above " + pool.Above[k-1]
			default: // alone with the place below, as far as is known
				name = "within " + strconv.Itoa(int(tiers[k-1][p]))
			}
			n, seen := numbers[name]
			if !seen {
				n = next
				numbers[name] = n
				next++
			}
			tiers[k][p] = n
		}
	}
	return tiers
}

// finite reports whether a number is neither infinite nor not a number.
func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// DefaultBoot is the boot time where none is known: a median of 126 s, the time
// from notice to take-over in spotDNN's Fig. 9 (IWQoS 2023), and a sigma of 0.1, as
// in CM-DARE's start-up log (ICDCS 2020; 0.03 to 0.12). Specs and replays use it.
func DefaultBoot() Boot { return Boot{Median: 126 * time.Second, Sigma: 0.1} }

// Granularity is how a cloud counts the billed time of an instance (Pool.Granularity): per
// second with a minimum of a minute, or in whole hours.
type Granularity struct {
	Increment time.Duration // as Billing.Increment
	Minimum   time.Duration // as Billing.Minimum
}

// Commitment is instances of a pool that are paid for a time, whether they are used or
// not: a reservation, a savings plan, or a capacity block (Trace.Commitments). On a pool
// that is bought on demand they are used first: as many as are committed cost nothing
// more.
type Commitment struct {
	Instances  int
	USDPerHour float64 // of each
	// From and Until are its ends, instants of the traces. A run pays from From, or from its own
	// start if that is later, until Until, even if its jobs end before; with an Until of
	// Never until the run ends, as the run's part of a long reservation.
	From, Until Time
}

// Failures says how the machines of a pool fail and come back (Pool.Failures). A machine that fails takes its instances
// with it, without a notice; after its repair there is room for others. The pools that have the same Failures are one
// group, with one order of machines: the machines of a single pool, or a pool for each machine (Whole). It is shared
// and read only.
type Failures struct {
	// Whole says that each pool of the group is one machine, a server with all its GPUs: when it fails, all of the pool
	// goes. Else each instance of the one pool is on a machine of its own, of which there are as many as the quota, and
	// the standbys and spares.
	Whole bool

	// PerHour is the rate of failures of a machine that is up, at least 0. Times between them are exponential; with a
	// Shape they are Weibull's, with a Sigma lognormal, of the mean 1/PerHour, from the run's start or the last repair
	// on.
	PerHour      float64
	Shape, Sigma float64
	// Outages are failures that were recorded, in ascending order of From; PerHour and Repairs do not count then.
	Outages []Outage

	// BadShare is the share of machines that are bad, in [0, 1]: they have BadTimes the rate in addition, until a
	// repair works.
	BadShare, BadTimes float64
	// OnlyTraining says that machines fail only while a job trains on them: of exponential times only.
	OnlyTraining bool
	// Detect is the time from a failure until it is seen: nothing replaces the machine before, and the job does not
	// train.
	Detect time.Duration
	// Undiagnosed and Misdiagnosed are shares of the failures, in [0, 1]: the machine is back at once without a repair,
	// or another machine on which the same job trains is repaired in its place.
	Undiagnosed, Misdiagnosed float64

	// Repairs are the stages of a repair, at most MaxRepairs; without any a machine that fails is gone.
	Repairs []Repair
	// Retire is the number of failures within a time after which a machine is not repaired; 0: never.
	Retire int
	Within time.Duration

	// Standbys are machines beyond the quota that are up and idle. With any, an instance on a machine that is up is
	// ready at once, but for those of the run's first instant. Spares do other work: an instance on one is ready
	// SpareWait later. Not of a Whole group.
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

// asUntil returns a law of failures for what comes after an instant, where they were recorded: as many an hour as the
// first n machines had until then, and repairs that are lognormal, of those that had ended.
func (x *Failures) asUntil(now Time, n int) *Failures {
	law := *x
	law.Outages = nil
	law.PerHour = 0
	count := 0
	var ended, sum, squares float64
	for _, outage := range x.Outages {
		if outage.Machine >= n || outage.From > now {
			continue
		}
		count++
		if outage.Until <= now {
			span := math.Log(max(outage.Until.Sub(outage.From).Seconds(), 1))
			ended++
			sum += span
			squares += span * span
		}
	}
	if hours := now.Sub(0).Hours() * float64(n); hours > 0 {
		law.PerHour = float64(count) / hours
	}
	if ended > 0 {
		mean := sum / ended
		spread := math.Sqrt(max(squares/ended-mean*mean, 0))
		law.Repairs = []Repair{{Boot: Boot{Median: At(math.Exp(mean)).Sub(0), Sigma: min(spread, 5)}, Works: 1}}
	}
	return &law
}

// machines is how many machines a pool of instances has.
func (x *Failures) machines(quota int) int { return quota + x.Standbys + x.Spares }

func (x *Failures) check() error {
	share := func(s float64) bool { return s >= 0 && s <= 1 }
	switch {
	case !(x.PerHour >= 0) || !finite(x.PerHour) || !(x.Shape >= 0) || !(x.Sigma >= 0 && x.Sigma < 10),
		x.Shape > 0 && x.Sigma > 0:
		return fmt.Errorf("failures: %v an hour, shape %v, spread %v, expected at least 0, and one of shape and spread",
			x.PerHour, x.Shape, x.Sigma)
	case !share(x.BadShare) || !share(x.Undiagnosed) || !share(x.Misdiagnosed),
		!(x.BadTimes >= 0) || !finite(x.BadTimes):
		return fmt.Errorf("failures: shares %v, %v and %v, expected 0 to 1, and a factor %v of at least 0",
			x.BadShare, x.Undiagnosed, x.Misdiagnosed, x.BadTimes)
	case x.OnlyTraining && (x.Shape > 0 || x.Sigma > 0 || len(x.Outages) > 0):
		return fmt.Errorf("failures while a job trains only, expected exponential times")
	case x.Detect < 0 || x.SpareWait < 0 || x.Standbys < 0 || x.Spares < 0 || x.Retire < 0,
		x.Retire > 0 && x.Within <= 0:
		return fmt.Errorf("failures: times and numbers are expected to be at least 0, and retirement to have a time")
	case x.Whole && x.Standbys+x.Spares > 0:
		return fmt.Errorf("failures of whole pools with %d standbys and spares, expected none", x.Standbys+x.Spares)
	case len(x.Repairs) > MaxRepairs:
		return fmt.Errorf("failures: %d stages of a repair, expected at most %d", len(x.Repairs), MaxRepairs)
	case !sort.SliceIsSorted(x.Outages, func(i, j int) bool { return x.Outages[i].From < x.Outages[j].From }):
		return fmt.Errorf("failures: the outages are not in ascending order")
	}
	for i, stage := range x.Repairs {
		spread := stage.Sigma >= 0 && stage.Sigma < 10
		if stage.Mean < 0 || stage.Median < 0 || !spread || !share(stage.Ends) || !share(stage.Works) {
			return fmt.Errorf("failures: stage %d of a repair: %+v, expected times of at least 0 and shares of 0 to 1",
				i, stage)
		}
	}
	return nil
}

// lasting draws how long a machine is up by a law of the mean 1 that is not exponential.
func (x *Failures) lasting(draws Stream, n uint64) float64 {
	if x.Shape > 0 {
		return math.Pow(draws.Exponential(n), 1/x.Shape) / math.Gamma(1+1/x.Shape)
	}
	return math.Exp(x.Sigma*draws.Normal(n) - x.Sigma*x.Sigma/2)
}

// clocks reports whether each machine has a clock of its own.
func (x *Failures) clocks() bool {
	return x.PerHour > 0 && len(x.Outages) == 0 && (x.Shape > 0 || x.Sigma > 0)
}
