package market

import (
	"fmt"
	"slices"
	"time"

	"github.com/marigram/marigram/calibrate/charges"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/experiments/spec/cluster"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/replay"
	"github.com/marigram/marigram/traces/synth"
)

// moves are what carrying the job's state takes, for every pair of places of a market. A pool
// on demand of an instance type is wherever the job is: nothing moves to it. One of a region is in any
// zone of it.
type moves struct {
	byRegion bool // on demand
	between  map[[2]charges.Place]sim.Move

	// By tier, in the place of the others: by how far apart two pools are (sim.Market.Apart).
	apart  []sim.Move
	market *sim.Market
	pools  map[string]int
}

// Move implements sim.Mover.
func (m *moves) Move(_ *sim.Job, from, to *sim.Pool) sim.Move {
	if m.apart != nil {
		return m.apart[m.market.Apart(m.pools[from.Name], m.pools[to.Name])]
	}
	return m.between[[2]charges.Place{m.placeOf(from), m.placeOf(to)}]
}

func (m *moves) placeOf(p *sim.Pool) charges.Place {
	if p.OnDemand && !m.byRegion {
		return charges.Place{}
	}
	return charges.Place{Cloud: p.Cloud, Region: p.Region, Zone: p.Zone}
}

// Markets makes the markets of a spec: one of its own for each seed if it is
// synthetic or draws the lifetimes of machines, else one and the same for all. It is
// safe for concurrent use.
type Markets struct {
	// Name is for the results; it says synthetic where the market is.
	Name string
	// Replay names the assumptions under which the traces are replayed.
	Replay string
	// Unit is what runs are independent by: results.ByStart or results.BySeed.
	Unit string
	// Warnings are why the numbers of all runs on the market may mislead.
	Warnings []string
	// Inputs are the files that were read.
	Inputs []traces.SourceFile

	moves    *moves    // nil: moves take nothing
	failures failures  // of the spec's machines
	slows    slows     // likewise
	partial  []partial // warnings about some of the runs
	spec     *spec.Spec
	whole    bool // the traces are kept to their end
	given    map[string]*traces.Set
	known    *Instant        // what comes after it is left out
	origin   *int64          // us UTC: the beginning of the market; nil: it is not on the calendar
	replays  []replay.Replay // of each PoolSpec, without a seed
	only     *sim.Market     // of all seeds; nil: each has its own
	// Of a recorded market: its pools, and when it ends.
	recorded []recordedPool
	end      sim.Time
	levels   []int // pools whose levels of capacity are drawn for every seed
	// Of a synthetic market: its pools, and the PoolSpec of each.
	pools []synth.SyntheticPool
	of    []int
}

// Instant is an instant of the calendar or, where Calendar is not set, a time from the beginning
// of the spec's traces, each from its own from.
type Instant struct {
	Calendar time.Time
	Since    time.Duration
}

// Clock returns an instant of the calendar on the market's own clock, which begins where the first
// trace does, at its from. It is an error where there is no calendar.
func (m *Markets) Clock(at time.Time) (sim.Time, error) {
	if m.origin == nil {
		return 0, fmt.Errorf("%s is an instant of the calendar, which the market does not have: "+
			"expected seconds from its beginning", at.Format(time.RFC3339))
	}
	return sim.Time(at.UnixMicro() - *m.origin), nil
}

// Calendar returns an instant of the market's own clock on the calendar; false where there is none.
func (m *Markets) Calendar(at sim.Time) (time.Time, bool) {
	if m.origin == nil {
		return time.Time{}, false
	}
	return time.UnixMicro(*m.origin + int64(at)).UTC(), true
}

// partial is a warning about a part of the market: about the runs that overlap it.
type partial struct {
	text string
	when []interval
}

// interval is a span of a market's time, its end not included.
type interval struct{ from, until sim.Time }

// Shared returns the market of all seeds; nil where each has one of its own.
func (m *Markets) Shared() *sim.Market { return m.only }

// FromAnywhere reports whether runs begin at any instant of the traces, not at their
// start alone (Whole).
func (m *Markets) FromAnywhere() bool { return m.whole }

// LastStart returns the last instant, from the start of the traces, from which
// they hold a whole horizon; negative if there is none.
func (m *Markets) LastStart() time.Duration {
	return m.end.Sub(0) - m.spec.Horizon()
}

// reach returns how many microseconds of trace are wanted.
func (m *Markets) reach() int64 {
	if m.whole {
		return 1 << 61 // longer than any, and no overflow when added to an instant
	}
	return int64(sim.Time(0).Add(m.spec.Horizon()))
}

// differ reports whether seeds have markets of their own.
func (m *Markets) differ() bool {
	drawn := func(r recordedPool) bool { return r.drawn != nil }
	return m.spec.Market.Synthetic != nil || len(m.levels) > 0 || slices.ContainsFunc(m.recorded, drawn)
}

// unit is the seed where each draws all of its market, prices and capacity. Where
// seeds share a part of a recorded trace, it is the start.
func (m *Markets) unit() string {
	for i := range m.recorded {
		p := &m.spec.Market.Pools[i]
		assumed := p.Prices.USDPerH > 0
		if *p.Quota == 0 {
			continue // on demand only
		}
		if !assumed || m.replays[i].Adapter != replay.LifetimeResample && p.Typical() == "" {
			return results.ByStart
		}
	}
	return results.BySeed
}

// failures are those that a spec describes, by their places in it.
type failures map[*cluster.Failures]*sim.Failures
