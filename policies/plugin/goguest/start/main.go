// A policy for marigram in Go, compiled to WebAssembly: so many instances of the cheapest spot pool, and a look every ten
// minutes. Setting: instances.
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -o mine.wasm .
//
// Packages goguest and message say what there is to see and to plan.
package main

import (
	"github.com/marigram/marigram/policies/plugin/goguest"
	"github.com/marigram/marigram/policies/plugin/message"
)

func main() {}

func init() { goguest.Serve(func() goguest.Policy { return new(cheapest) }) }

// cheapest is the policy of one run.
type cheapest struct{ pools []message.Pool }

// Begin is called once, before the first decision.
func (c *cheapest) Begin(b *message.Begin) { c.pools = b.Pools }

// Decide looks at the view and changes the plan.
func (c *cheapest) Decide(v *message.View, plan *message.Plan) {
	best := -1
	for i, p := range c.pools {
		if !p.OnDemand && p.Quota > 0 && (best < 0 || v.Prices[i] < v.Prices[best]) {
			best = i
		}
	}
	if len(v.Jobs) == 0 || best < 0 {
		return
	}
	hold := make([]int, len(c.pools))
	hold[best] = min(int(goguest.Setting("instances", 4)), c.pools[best].Quota)
	wake := 600.0
	plan.Jobs = []message.JobPlan{{Job: &v.Jobs[0].Job, Hold: &message.Hold{ByPool: hold}}}
	plan.WakeS = &wake
	plan.Because = "the cheapest spot pool"
}
