package replay

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/marigram/marigram/internal/registry"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/describe"
)

// Adapter is the assumption that turns what was recorded of a pool into
// machines that a job can hold.
type Adapter uint8

// The adapters.
const (
	// CountCap: a job can hold as many machines as were counted. Of probes
	// this is pessimistic: a machine that is held survives many a failed
	// launch. Whom a fall takes is not recorded; the victim rule says it.
	CountCap Adapter = iota
	// BinaryAll: a count of at least one is room for N machines, 0 for none.
	// Of pools of 16 machines, 3 to 17 % of the observations were in between
	// (AWS V100) or 33 % (GCP H100; andylizf/skynomad-artifact at 62b9aaa1).
	BinaryAll
	// PerEvent: the job's machines are those of the recorded fleet: it gets
	// each when that came and loses it when that went.
	PerEvent
	// Unlimited: N machines can be held at any time and none is ever taken;
	// for sets of prices only.
	Unlimited
	// LaunchOnly: a count is how many machines could be launched, no more: a
	// launch needs a count above what is held, and a fall takes nobody. Held
	// machines end by the distribution Lifetime. The fleet is that of a job that
	// always wants N; a job that holds fewer meets a part of it.
	LaunchOnly
	// LifetimeResample: N machines can be held at any time; each has a lifetime
	// drawn from the Kaplan-Meier estimate of the pool's recorded ones (or from
	// Lifetime), all are new when the window begins, and the next comes at once. It
	// has the recorded lifetimes, and none of the losses in bulk.
	LifetimeResample
	// Bid: N machines can be held while the price is not above the bid; above
	// it, all are taken. How EC2 worked until the end of bidding in November
	// 2017; since then prices say nothing of preemptions, so for traces of
	// those years only.
	Bid
)

var adapterNames = [...]string{"count_cap", "binary_all", "per_event", "unlimited", "launch_only", "lifetime_resample",
	"bid"}

// String returns the name of the adapter.
func (a Adapter) String() string { return adapterNames[a] }

// meanings say what each adapter assumes, for tables.
var meanings = [...]string{
	CountCap:         "as many machines can be held as were counted",
	BinaryAll:        "where one machine was there, the whole quota can be held; where none was, none",
	PerEvent:         "the job's machines appear and disappear as those recorded",
	Unlimited:        "the whole quota can always be held, and nothing is preempted",
	LaunchOnly:       "counts say how many machines can be launched; those that run have random lifetimes",
	LifetimeResample: "there is always capacity, and machines have random lifetimes",
	Bid:              "prices above the bid take all machines",
}

// Meanings returns what a text of assumptions (String, or several of these) assumes: each
// adapter with its meaning, in the order of the adapters; empty for other texts.
func Meanings(text string) (all []string) {
	for a, meaning := range meanings {
		if name := adapterNames[a]; strings.Contains(text, name+"(") {
			all = append(all, name+": "+meaning)
		}
	}
	return all
}

// AdapterNamed returns the adapter with a name.
func AdapterNamed(name string) (Adapter, error) {
	for i, n := range adapterNames {
		if n == name {
			return Adapter(i), nil
		}
	}
	return 0, registry.Unknown("adapter", name, adapterNames[:])
}

// Replay says how a trace becomes traces. No trace records notices or who was
// taken when a count fell, so that each replay assumes it; String names the
// assumption, for the results.
type Replay struct {
	Adapter Adapter
	// Victim is the rule by which a fall of a count picks machines (CountCap).
	Victim sim.Victim
	// Notice is the warning before a machine is taken; see
	// sim.DefaultNotice.
	Notice time.Duration
	// NoticeMissing is the probability, in [0, 1], that no notice comes.
	NoticeMissing float64
	// Scale multiplies counts, rounded to the nearest (CountCap, LaunchOnly): a
	// pool in proportion, whose small losses may vanish; 0 means 1.
	Scale float64
	// Copies lets each recorded machine stand for n, which come and die
	// together (CountCap, PerEvent, LaunchOnly, LifetimeResample): a pool by
	// repetition, whose every loss is as many times as large; 0 means 1. Not
	// together with Scale.
	Copies int
	// N is the number of machines for which there is room (BinaryAll,
	// Unlimited, LaunchOnly, LifetimeResample, Bid); of copies a multiple.
	N int
	// Lifetime is the distribution of how long held machines live (LaunchOnly;
	// LifetimeResample, where nil is that of the pool's recorded lifetimes).
	Lifetime describe.LifetimeDistribution
	// Seed is that of the lifetimes. It is no part of the assumption: String
	// leaves it out.
	Seed uint64
	// StreamName is the name of the random stream of the lifetimes; empty: the pool's. Pools
	// that replay one record under different names draw different lifetimes.
	StreamName string
	// Bid is the most that is paid for a machine, USD per hour (Bid).
	Bid float64
	// FlatPrice is what a machine costs, USD per hour, in pools of which no
	// price was recorded; 0: the on-demand price where it is known, else such
	// pools are refused.
	FlatPrice float64
}

// String names the assumption, for instance
// "count_cap(victim=random,notice=120s,missing=0)".
func (r Replay) String() string {
	var args []string
	switch r.Adapter {
	case CountCap:
		args = append(args, "victim="+r.Victim.String())
	case BinaryAll, Unlimited:
		args = append(args, "n="+strconv.Itoa(r.N))
	case LaunchOnly, LifetimeResample:
		args = append(args, "n="+strconv.Itoa(r.N), "life="+r.lifetimeName())
	case Bid:
		args = append(args, "n="+strconv.Itoa(r.N), "bid="+decimal(r.Bid))
	}
	if r.scale() != 1 && (r.Adapter == CountCap || r.Adapter == LaunchOnly) {
		args = append(args, "scale="+decimal(r.scale()))
	}
	if r.copies() != 1 {
		args = append(args, "copies="+strconv.Itoa(r.copies()))
	}
	args = append(args, "notice="+decimal(r.Notice.Seconds())+"s", "missing="+decimal(r.NoticeMissing))
	if r.FlatPrice != 0 {
		args = append(args, "flat_price="+decimal(r.FlatPrice))
	}
	return r.Adapter.String() + "(" + strings.Join(args, ",") + ")"
}

func decimal(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

func (r Replay) scale() float64 { return cmp.Or(r.Scale, 1) }

func (r Replay) copies() int { return max(1, r.Copies) }

// Granted returns for how many machines there is room at a count, by the adapters that
// read counts (CountCap, LaunchOnly).
func (r Replay) Granted(count int) int {
	return scaled(float64(count), r.scale()*float64(r.copies()))
}

// DrawsLifetimes reports whether what is replayed depends on the seed.
func (r Replay) DrawsLifetimes() bool {
	return r.Adapter == LaunchOnly || r.Adapter == LifetimeResample
}

func (r Replay) lifetimeName() string {
	if r.Lifetime == nil {
		return "kaplan_meier(pool)"
	}
	return r.Lifetime.String()
}

// check returns what is wrong with the replay's settings that sim does not see.
func (r Replay) check() error {
	switch {
	case int(r.Adapter) >= len(adapterNames):
		return fmt.Errorf("adapter %d is unknown", r.Adapter)
	case !(r.Scale >= 0 && r.Scale <= 1e6):
		return fmt.Errorf("scale %v, expected 0 to 10^6", r.Scale)
	case !(r.FlatPrice >= 0 && r.FlatPrice <= traces.MaxPriceNano/traces.NanoPerUSD):
		return fmt.Errorf("flat price %v, expected 0 to 10000 USD per hour", r.FlatPrice)
	case r.Copies < 0 || r.Copies > traces.MaxMachines || r.copies() > 1 && r.scale() != 1:
		return fmt.Errorf("copies %d and scale %v, expected 0 to %d, and one of the two",
			r.Copies, r.scale(), traces.MaxMachines)
	case r.copies() > 1 && (r.Adapter == BinaryAll || r.Adapter == Unlimited || r.Adapter == Bid):
		return fmt.Errorf("copies %d with %s, which loses all machines together, expected none", r.Copies, r.Adapter)
	case r.Adapter == LaunchOnly && r.Lifetime == nil:
		return fmt.Errorf("%s without a distribution of lifetimes, "+
			"expected Lifetime: a probe does not record lifetimes", r.Adapter)
	case r.Adapter == Bid && !(r.Bid > 0 && r.Bid <= traces.MaxPriceNano/traces.NanoPerUSD):
		return fmt.Errorf("bid of %v USD per hour, expected above 0 to 10000", r.Bid)
	case r.Adapter != CountCap && r.Adapter != PerEvent:
		if r.N < 1 || r.N > traces.MaxMachines || r.N%r.copies() != 0 {
			return fmt.Errorf("%s of %d machines, expected 1 to %d, a multiple of %d copies",
				r.Adapter, r.N, traces.MaxMachines, r.copies())
		}
	}
	return nil
}
