package reference

import (
	"cmp"
	"math"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/pyrandom"
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/papers/gavel/rules"
	"github.com/marigram/marigram/policies/schedulers/share"
)

// On its path through cones of second order finish-time fairness ends at the same value as elsewhere, with shares that
// are feasible.
func TestFairPath(t *testing.T) {
	check := near.Count(t)
	for seed, jobs := range []int{1, 2, 10, 30, 161} {
		in := drawn(int64(seed), jobs)
		for _, agnostic := range []int{0, 4} {
			centre, path := &FinishTime{Centre: true}, &FinishTime{}
			centre.Agnostic, path.Agnostic = agnostic, agnostic
			var x share.Shares
			centre.Share(in, &x)
			path.Share(in, &x)
			allowed(t, in, &x)
			if got := worst(in, path.Speeds(in), &x); check.Off(got/centre.fairness, 1, 1e-5) {
				t.Errorf("%d jobs, agnostic %d: fairness %v, the centre's is %v", jobs, agnostic, got, centre.fairness)
			}
		}
	}
}

// worst is the largest fairness of jobs that are new to the rule.
func worst(in *share.Input, speed [][]float64, x *share.Shares) (largest float64) {
	expected := expectedAlone(in, speed)
	for i := range in.Jobs {
		j := &in.Jobs[i]
		largest = max(largest, (j.Age+j.Left/rules.Speed(speed[i], x.X[i]))/expected[i])
	}
	return largest
}

// expectedAlone is each job's time with an equal part of the cluster for itself.
func expectedAlone(in *share.Input, speed [][]float64) []float64 {
	var part share.Shares
	rules.Isolated{}.Share(in, &part)
	expected := make([]float64, len(in.Jobs))
	for i := range in.Jobs {
		expected[i] = in.Jobs[i].Left / rules.Speed(speed[i], part.X[i])
	}
	return expected
}

// The recorded inputs of Gavel's policy: the value of the optimum.
func TestFairPathAllocations(t *testing.T) {
	check := near.Count(t)
	const policy = "finish_time_fairness_perf"
	objective := map[string]float64{}
	for _, r := range testutil.Rows(t, "papers/gavel/testdata/gavel_allocation_objectives.csv") {
		if r["policy"] == policy {
			objective[r["case"]] = testutil.Number(t, r["objective"])
		}
	}
	inputs, before := recordedInputs(t)
	for name, in := range inputs {
		expected := expectedAlone(in, in.Speeds())
		for i, s := range before[name] {
			expected[i] += s
		}
		var path fairPath
		var x share.Shares
		path.set(in, in.Speeds(), expected)
		path.solve()
		path.put(in, path.shares, &x)
		allowed(t, in, &x)
		got := 0.0
		for i := range in.Jobs {
			j := &in.Jobs[i]
			got = max(got, (j.Age+j.Left/rules.Speed(j.Speed, x.X[i]))/expected[i])
		}
		if want := objective[name]; check.OffRel(got, want, 1e-5) {
			t.Errorf("case %s: fairness %v, recorded %v", name, got, want)
		}
	}
}

// recordedInputs are the recorded inputs of Gavel's policies by case, and what each job would have had until then with
// an equal part, s.
func recordedInputs(t *testing.T) (inputs map[string]*share.Input, before map[string][]float64) {
	inputs, before = map[string]*share.Input{}, map[string][]float64{}
	number := func(cell string) float64 { return testutil.Number(t, cmp.Or(cell, "0")) }
	for _, r := range testutil.Rows(t, "papers/gavel/testdata/gavel_allocation_inputs.csv") {
		name, models := r["case"], []string{"k80", "p100", "v100"}
		in := inputs[name]
		if in == nil {
			in = &share.Input{}
			for _, m := range models {
				in.GPUs = append(in.GPUs, int(number(r["n_"+m])))
			}
			inputs[name] = in
		}
		j := share.Job{ID: len(in.Jobs), GPUs: int(number(r["scale_factor"])), Weight: 1,
			Left: number(r["steps_remaining"]), Age: number(r["age_s"])}
		for _, m := range models {
			j.Speed = append(j.Speed, number(r["steps_per_s_"+m]))
		}
		in.Jobs, before[name] = append(in.Jobs, j), append(before[name], number(r["cumulative_isolated_s"]))
	}
	return inputs, before
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
