package gomodule_test

import (
	"fmt"

	"github.com/marigram/marigram/policies/plugin/gomodule"
	"github.com/marigram/marigram/policies/plugin/message"
)

// two holds two instances of the first pool.
type two struct{ pools int }

func (p *two) Begin(b *message.Begin) { p.pools = len(b.Pools) }

func (p *two) Decide(v *message.View, plan *message.Plan) {
	hold := make([]int, p.pools)
	hold[0] = int(gomodule.Setting("instances", 2))
	for i := range v.Jobs {
		plan.Jobs = append(plan.Jobs, message.JobPlan{Job: &v.Jobs[i].Job, Hold: &message.Hold{ByPool: hold}})
	}
}

// A policy that is compiled to WebAssembly; outside of it a test can ask it as marigram would.
func ExampleServe() {
	gomodule.Serve(func() gomodule.Policy { return new(two) }) // in an init function of package main
	p, plan := new(two), new(message.Plan)
	p.Begin(&message.Begin{Pools: make([]message.Pool, 3)})
	p.Decide(&message.View{Jobs: make([]message.Job, 1)}, plan)
	fmt.Println(plan.Jobs[0].Hold.ByPool)
	// Output:
	// [2 0 0]
}
