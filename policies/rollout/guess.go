package rollout

import (
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/sim"
)

// Prior is what is believed of spot capacity before anything was seen. A pool has room for
// a number of instances, its level, which is drawn anew by shocks of its own and by shocks
// of its region; levels of a region are correlated.
type Prior struct {
	Shocks float64 `set:"shocks_per_h" min:"0.001" max:"1000" doc:"believed at first: how often the capacity of a pool is drawn anew, per hour, in all"`
	Shared float64 `set:"regional_shocks" min:"0" max:"1" doc:"believed: share of these that hit all pools of a region"`
	Alike  float64 `set:"correlation" min:"0" max:"0.99" doc:"believed: correlation of the capacities of two pools of a region"`
	Empty  float64 `set:"empty" min:"0.001" max:"0.99" doc:"believed at first: share of the time in which a pool has no capacity"`
	Full   float64 `set:"full" min:"0.001" max:"0.99" doc:"believed at first: share of the time in which a pool has capacity for its quota"`
	Weight float64 `set:"prior_weight" min:"0.1" max:"1e6" doc:"how many observations what is believed at first counts for"`
}

// DefaultPrior returns what published availability says (synth.DefaultSynthetic has the
// sources): 1.19 shocks an hour, a third of them regional, 31 % empty.
func DefaultPrior() Prior {
	return Prior{Shocks: 1.19, Shared: 0.33, Alike: 0.54, Empty: 0.31, Full: 0.6, Weight: 8}
}

const (
	purposeFactor = sim.PurposeUser + 800 + iota // of a region
	purposeRegion                                // when its shocks come
	purposeOwn                                   // when a pool's shocks come
	purposeLevel                                 // what a shock draws
	purposeStale                                 // whether what was seen still holds
)

// guess is what is believed now, and a future that is drawn from it.
type guess struct {
	own, regional float64 // shocks, per hour
	empty, full   float64
	alike, rest   float64 // square roots of the shares of a region and of a pool
	seed          uint64
	rand          sim.Rand

	known    *sim.Pool // the first pool of the market that pools is of
	pools    []pool
	regions  []region
	leaving  []sim.Time
	outlooks []sim.Outlook
}

type pool struct {
	entity uint64
	region int
	limit  int // its quota

	spot            bool
	held, stays     int // instances in it, and without those under notice
	exact           bool
	stale           float64 // probability that the last refusal does not hold any more
	refused         bool
	notice          time.Duration
	firstGo, countG int
	levels          []sim.Capacity
}

// region is a region in an imagined future.
type region struct {
	entity uint64
	name   string
	shocks []shock
	now    float64
}

// shock draws the factor of a region anew.
type shock struct {
	at sim.Time
	z  float64
}

// fit takes over what has been seen until now.
func (g *guess) fit(v sim.View, prior *Prior) {
	g.meet(v)
	g.learn(v, prior)
	g.alike, g.rest = math.Sqrt(prior.Alike), math.Sqrt(1-prior.Alike)
	g.seed, g.leaving = uint64(v.Now()), g.leaving[:0]
	for p := range g.pools {
		g.observe(v, p)
		if x := &g.pools[p]; x.limit > 0 { // whatever the order of the pools, and those that nobody can use
			g.seed += (x.entity ^ math.Float64bits(v.Price(p))) * 0xd1342543de82ef95
		}
	}
}

// meet lists the pools and regions of a market that was not seen before.
func (g *guess) meet(v sim.View) {
	if g.known == v.Pool(0) && len(g.pools) == v.Pools() {
		return
	}
	g.known, g.pools, g.regions = v.Pool(0), make([]pool, v.Pools()), nil
	g.outlooks = make([]sim.Outlook, v.Pools())
	for p := range g.pools {
		x := v.Pool(p)
		at := slices.IndexFunc(g.regions, func(r region) bool { return r.name == x.Region })
		if at < 0 {
			at = len(g.regions)
			g.regions = append(g.regions, region{entity: sim.NameEntity("region " + x.Region), name: x.Region})
		}
		g.pools[p] = pool{
			entity: sim.NameEntity(x.Name),
			region: at,
			limit:  x.Quota,
			notice: x.Notice,
			spot:   !x.OnDemand,
		}
	}
}

// learn brings the prior and what was seen together: a Gamma distribution of the rate of
// shocks, and shares of pools found empty and full.
func (g *guess) learn(v sim.View, prior *Prior) {
	asked, empty, full := 0.0, 0.0, 0.0
	between := max(1-prior.Empty-prior.Full, 0)
	events, hours := 0.0, 0.0
	for p := range g.pools {
		x, seen := &g.pools[p], v.Seen(p)
		if !x.spot || seen.Grants == 0 && seen.RefusedAt == sim.Never {
			continue
		}
		asked++
		largest := float64(seen.Grants) / float64(1+seen.Removals)
		switch {
		case seen.Grants == 0:
			empty++
		case seen.RefusedAt == sim.Never: // it has room for at least n
			full += prior.Full / (prior.Full + between*max(1-largest/float64(x.limit), 0))
		}
		below := prior.Empty + between*min(largest/float64(x.limit), 1)
		events += float64(seen.Removals + seen.Arrivals)
		hours += seen.Held.Hours() / max(largest, 1) * below
		hours += seen.Waited.Hours() * (1 - prior.Empty)
	}
	g.empty = (prior.Weight*prior.Empty + empty) / (prior.Weight + asked)
	g.full = min((prior.Weight*prior.Full+full)/(prior.Weight+asked), 1-g.empty)
	rate := (prior.Weight + events) / (prior.Weight/prior.Shocks + hours)
	g.own, g.regional = rate*(1-prior.Shared), rate*prior.Shared
}

// observe notes what is known of a pool now.
func (g *guess) observe(v sim.View, p int) {
	x, seen := &g.pools[p], v.Seen(p)
	if !x.spot {
		return
	}
	x.held, x.stays = 0, 0
	for _, j := range v.ActiveJobs() {
		h := v.Held(j, p)
		x.held += h.Active() + h.Noticed
		x.stays += h.Active()
	}
	first := len(g.leaving)
	g.leaving = v.Leaving(p, g.leaving)
	x.firstGo, x.countG = first, len(g.leaving)-first
	x.exact, x.refused, x.stale = x.countG > 0, false, 0
	if seen.RefusedAt != sim.Never {
		age := v.Now().Sub(seen.RefusedAt).Hours()
		x.refused, x.exact = true, x.exact || age == 0
		x.stale = -math.Expm1(-age * (g.own + g.regional))
	}
}
