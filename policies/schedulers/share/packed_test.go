package share

import (
	"math"
	"slices"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/pyrandom"
)

// drawnPairs is a state in which jobs share GPUs, with n kinds of jobs.
func drawnPairs(seed int64, jobs, kinds int) *Input {
	draws := pyrandom.New(seed)
	in := &Input{GPUs: []int{6, 0, 4, 6}}
	speed, weight, slow := make([][]float64, kinds), make([]float64, kinds), make([][]float64, kinds)
	for k := range kinds {
		weight[k] = 1 + float64(draws.Below(2))
		for range in.GPUs {
			speed[k] = append(speed[k], 1+9*draws.Random())
		}
		if draws.Random() < 0.2 {
			speed[k][0] = 0
		}
		for range kinds {
			slow[k] = append(slow[k], max(0, 0.2+0.8*draws.Random()-0.3*float64(draws.Below(2))))
		}
	}
	kind := make([]int, jobs)
	for i := range jobs {
		k := draws.Below(kinds)
		kind[i] = k
		in.Jobs = append(in.Jobs, Job{ID: i, Kind: 1 + k, GPUs: 1 << (k % 2), Weight: weight[k], Speed: speed[k]})
	}
	in.Together = func(a, b, m int) (of, other float64) {
		of, other = slow[kind[a]][kind[b]]*in.Jobs[a].Speed[m], slow[kind[b]][kind[a]]*in.Jobs[b].Speed[m]
		if of == 0 || other == 0 {
			return 0, 0
		}
		return of, other
	}
	return in
}

// allowedPairs reports shares that are not feasible, and returns the least normalised speed.
func allowedPairs(t *testing.T, in *Input, x *Shares) float64 {
	t.Helper()
	check := near.Count(t)
	used, time, speed := make([]float64, len(in.GPUs)), make([]float64, len(in.Jobs)), make([]float64, len(in.Jobs))
	for k, u := range x.Units {
		for m, v := range x.X[k] {
			if check.Below(v, 0) || v > 0 && in.GPUs[m] == 0 {
				t.Errorf("unit %v has a share of %v of model %d", u, v, m)
			}
			used[m] += v * float64(in.Jobs[u.A].GPUs)
			time[u.A] += v
			if u.B == Alone {
				speed[u.A] += v * in.Jobs[u.A].Speed[m]
				continue
			}
			of, other := in.Together(u.A, u.B, m)
			time[u.B] += v
			speed[u.A] += v * of
			speed[u.B] += v * other
		}
	}
	for m, v := range used {
		if check.Above(v, float64(in.GPUs[m])*(1+1e-9)) {
			t.Errorf("%v GPUs of model %d, expected at most %d", v, m, in.GPUs[m])
		}
	}
	smallest := math.Inf(1)
	for i, s := range in.Normal(in.Speeds()) {
		if check.Above(time[i], 1+1e-9) {
			t.Errorf("job %d has a time of %v", i, time[i])
		}
		smallest = min(smallest, s*speed[i])
	}
	return smallest
}

// Without pairs the times are those of the rules without; with pairs they are no worse, and the shares are feasible.
func TestPackedTimes(t *testing.T) {
	check := near.Count(t)
	for seed, jobs := range []int{1, 3, 8, 16} {
		in := drawnPairs(int64(seed), jobs, 4)
		draws := pyrandom.New(int64(seed))
		for i := range in.Jobs {
			in.Jobs[i].Left, in.Jobs[i].Age = 1e4*(1+9*draws.Random()), 1e3*draws.Random()
		}
		together := in.Together
		for _, pairs := range []bool{false, true} {
			if in.Together = nil; pairs {
				in.Together = together
			}
			var x, y Shares
			(&MinDurationPacked{}).Share(in, &x)
			(&MinDuration{}).Share(in, &y)
			in.Together = together // of pairs that are not there
			allowedPairs(t, in, &x)
			if a, b := in.longest(&x), in.longest(&y); check.Above(a, b*(1+1e-6)) || !pairs && check.Below(a, b*(1-1e-6)) {
				t.Errorf("%d jobs, pairs %v: all are done after %v s, without pairs after %v s", jobs, pairs, a, b)
			}
			if in.Together = nil; pairs {
				in.Together = together
			}
			(&FinishTimePacked{}).Share(in, &x)
			(&FinishTime{}).Share(in, &y)
			in.Together = together
			allowedPairs(t, in, &x)
			expected := (&FinishTime{}).expect(in, in.Speeds())
			if a, b := in.fairness(&x, expected), in.fairness(&y, expected); check.Above(a, b*(1+1e-5)) || !pairs && check.Below(a, b*(1-1e-5)) {
				t.Errorf("%d jobs, pairs %v: the fairness is %v, without pairs %v", jobs, pairs, a, b)
			}
		}
	}
}

// longest is when the last job is done.
func (in *Input) longest(x *Shares) float64 {
	even := make([]float64, len(in.Jobs))
	for i := range even {
		even[i] = 1
	}
	ages := *in
	ages.Jobs = slices.Clone(in.Jobs)
	for i := range ages.Jobs {
		ages.Jobs[i].Age = 0
	}
	return ages.fairness(x, even)
}
