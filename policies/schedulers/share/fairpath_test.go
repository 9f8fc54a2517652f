package share

import (
	"math"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/pyrandom"
)

// On its path through cones of second order finish-time fairness ends at the same value as elsewhere, with shares that are feasible.
func TestFairPath(t *testing.T) {
	check := near.Count(t)
	for seed, jobs := range []int{1, 2, 10, 30, 161} {
		in := drawn(int64(seed), jobs)
		for _, agnostic := range []int{0, 4} {
			centre, path := &FinishTime{Agnostic: agnostic, Centre: true}, &FinishTime{Agnostic: agnostic, ECOS: true}
			var x Shares
			centre.Share(in, &x)
			path.Share(in, &x)
			allowed(t, in, &x)
			if got := worst(in, path.speeds(in), &x); check.Off(got/centre.fairness, 1, 1e-5) {
				t.Errorf("%d jobs, agnostic %d: fairness %v, the centre's is %v", jobs, agnostic, got, centre.fairness)
			}
		}
	}
}

// worst is the largest fairness of jobs that are new to the rule.
func worst(in *Input, speed [][]float64, x *Shares) (most float64) {
	expected := (&FinishTime{}).expect(in, speed)
	for i := range in.Jobs {
		j := &in.Jobs[i]
		most = max(most, (j.Age+j.Left/total(speed[i], x.X[i]))/expected[i])
	}
	return most
}

// The recorded inputs of Gavel's policy.
func TestFairPathAllocations(t *testing.T) {
	check := near.Count(t)
	const policy = "finish_time_fairness_perf"
	for name, c := range allocations(t) {
		var x, y Shares
		path := c.rule(policy).(*FinishTime)
		path.ECOS = true
		path.Share(&c.Input, &x)
		c.feasible(t, name, &x)
		c.rule(policy).Share(&c.Input, &y)
		if got, want := c.objective(policy, &x), c.objective(policy, &y); check.OffRel(got, want, 1e-5) {
			t.Errorf("case %s: fairness %v, by programs %v", name, got, want)
		}
	}
}

// The scaling makes the same point of slacks and duals; a product is undone by its quotient.
func TestScaling(t *testing.T) {
	draws := pyrandom.New(3)
	c := scaling{cones: []int{0, 1, 2, 3, 0}, w: make([]float64, 5), eta: make([]float64, 5)}
	point := func() []float64 {
		p := []float64{1 + draws.Random(), 3 + draws.Random(), 4*draws.Random() - 2, 4*draws.Random() - 2, 1 + draws.Random()}
		c.inside(p)
		return p
	}
	for range 100 {
		s, z, l, back := point(), point(), make([]float64, 5), make([]float64, 5)
		if !c.set(s, z) {
			t.Fatalf("%v, %v: not within the cones", s, z)
		}
		c.times(l, z)
		c.times(back, l)
		same(t, "the scaling of the scaled duals", back, s)
		c.product(back, s, z)
		c.quotient(back, s, back)
		same(t, "the quotient", back, z)
		u := c.unsquare(1, triple(s[1:]))
		same(t, "the inverse of the square", u[:], z[1:4])
	}
}

func same(t *testing.T, what string, got, want []float64) {
	t.Helper()
	check := near.Count(t)
	for i := range got {
		if check.Off(got[i], want[i], 1e-9*(1+math.Abs(want[i]))) {
			t.Fatalf("%s: %v, expected %v", what, got, want)
		}
	}
}
