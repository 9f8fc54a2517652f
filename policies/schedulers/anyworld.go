package schedulers

import "github.com/marigram/marigram/sim"

// Sparse returns a policy that looks at all active jobs as one that plans by parts (sim.ByParts), whose world holds of a job what it has and nothing for all
// other pools, and takes jobs from a Source: for more jobs than there is room for otherwise. It decides the same; what a run costs differs by
// what rounding leaves, since sums are in another order, and where spot instances are taken, others may be. It reports false
// for policies that cannot, or that plan by parts anyway.
func Sparse(p sim.Policy) (sim.Policy, bool) {
	switch p := p.(type) {
	case *Rounds:
		return sparse{p}, true
	case *Dally:
		return sparse{p}, true
	}
	return nil, false
}

// sparse is a policy that plans by parts.
type sparse struct{ sim.Stateful }

// Traits says what the policy is.
func (s sparse) Traits() sim.Traits {
	t := sim.TraitsOf(s.Stateful)
	t.Plans = sim.ByParts
	return t
}

// Unwrap returns the policy.
func (s sparse) Unwrap() sim.Policy { return s.Stateful }

// parts returns what the plan gives a job, in either world.
func parts(plan *sim.Plan, j int, into []sim.Part) []sim.Part {
	into = into[:0]
	for p, n := range plan.Jobs[j].Hold {
		if n > 0 {
			into = append(into, sim.Part{Pool: int32(p), N: int32(n)})
		}
	}
	for _, x := range plan.Parts(j) {
		if x.N > 0 {
			into = append(into, x)
		}
	}
	return into
}

// firstHeld returns a pool of which the plan gives a job anything, -1 if it gives it nothing.
func firstHeld(plan *sim.Plan, j int) int {
	for p, n := range plan.Jobs[j].Hold {
		if n > 0 {
			return p
		}
	}
	for _, x := range plan.Parts(j) {
		if x.N > 0 {
			return int(x.Pool)
		}
	}
	return -1
}
