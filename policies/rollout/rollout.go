package rollout

import (
	"cmp"
	"time"

	"github.com/marigram/marigram/policies/safe"
	"github.com/marigram/marigram/sim"
)

// Rollout tries what it could do in imagined futures, and does what its base would do
// unless something else is cheaper there by more than chance.
type Rollout struct {
	Base *safe.Safe
	As   string // its name; empty is "rollout:" and the name of the base

	Futures int           `set:"futures" min:"0" max:"10000" doc:"number of imagined futures; 0 leaves every decision to the base"`
	Every   time.Duration `set:"every_s" min:"1" max:"86400" doc:"time between two decisions by rollout where nothing happens"`
	Sure    float64       `set:"standard_errors" min:"0" max:"10" doc:"by how many standard errors another choice has to be cheaper than the base"`
	Share   float64       `set:"share" min:"0" max:"1" doc:"share of the imagined futures in which another choice has to meet the objective, unless the base meets it in fewer"`

	Prior

	fork     sim.World
	future   sim.Market
	guess    guess
	follower follower
	choices  []choice
	shop     shop
	force    []int // by pool: what the plan in force holds
}

// New returns a policy that rolls out a safe form with the default settings.
func New(base *safe.Safe) *Rollout {
	return &Rollout{Base: base, Futures: 12, Every: 10 * time.Minute, Sure: 1, Share: 0.99, Prior: DefaultPrior()}
}

// choice is something to do now, and what decides from then on.
type choice struct {
	name string
	hold []int // by pool: to hold now; nil: as the base says
	base int   // number of the base

	n, met       int     // futures so far, and in how many it meets the objective
	usd          float64 // the last of them
	sum, squares float64 // of the differences to the first choice
	total        float64
	dropped      bool
	memory       []int // of hold
}

// follower does what a choice says, in a fork.
type follower struct {
	r      *Rollout
	choice *choice
	begun  bool
}

// margin is the time before the last instant at which on demand meets the deadline from
// which the base decides alone.
const margin = time.Minute

// Name implements sim.Policy.
func (r *Rollout) Name() string { return cmp.Or(r.As, "rollout:"+r.Base.Name()) }

// Unwrap returns the base.
func (r *Rollout) Unwrap() sim.Policy { return r.Base }

// NeedsOnDemand reports that there has to be something on demand.
func (r *Rollout) NeedsOnDemand() bool { return true }

// sizes are the numbers of instances on demand that the bases reckon with; 0 is that of
// the settings.
var sizes = [...]int{0, 3, 4, 6, 8}

// decideAs has a base decide, by its number.
func (r *Rollout) decideAs(base int, v sim.View, plan *sim.Plan) {
	size := r.Base.Size
	if sizes[base] > 0 {
		r.Base.Size = sizes[base]
	}
	r.Base.Decide(v, plan)
	r.Base.Size = size
}
