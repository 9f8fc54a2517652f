package policyutil

import (
	"time"

	"github.com/marigram/marigram/sim"
)

// CoarselyBilled reports whether the billing rules of pool p round up to more than a minute: a whole hour, say. A plan
// that leaves such rounding out is wrong by as much as an instance costs.
func CoarselyBilled(v sim.View, p int) bool {
	return v.Billed(p, time.Second) > time.Minute
}

// PaidAhead returns what the billing rules add to the bill, USD, if all spot instances of job j are given back now:
// what is paid whether they are used or not. held is scratch memory.
func PaidAhead(v sim.View, j int, held []sim.Instance) (usd float64, memory []sim.Instance) {
	coarse := false
	for p := range v.Pools() {
		coarse = coarse || CoarselyBilled(v, p)
	}
	if !coarse {
		return 0, held
	}
	held = v.Job(j).Instances(held[:0])
	for _, x := range held {
		if v.Pool(x.Pool).OnDemand {
			continue
		}
		age := v.Now().Sub(x.Granted)
		usd += float64((v.Billed(x.Pool, age) - age).Hours() * v.Price(x.Pool))
	}
	return usd, held
}
