package reference

import (
	"math"
	"slices"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/pyrandom"
	"github.com/marigram/marigram/policies/schedulers/share"
)

// drawnPairs is a state in which jobs share GPUs, with n kinds of jobs.
func drawnPairs(seed int64, jobs, kinds int) *share.Input {
	draws := pyrandom.New(seed)
	in := &share.Input{GPUs: []int{6, 0, 4, 6}}
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
		in.Jobs = append(in.Jobs, share.Job{ID: i, Kind: 1 + k, GPUs: 1 << (k % 2), Weight: weight[k], Speed: speed[k]})
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
func allowedPairs(t *testing.T, in *share.Input, x *share.Shares) float64 {
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
			if u.B == share.Alone {
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

// Where ECOS ends the least normalised speed is what the simplex method finds, with pairs and without, and the shares are feasible; they are the
// same where nobody says that jobs are alike.
func TestECOS(t *testing.T) {
	check := near.Count(t)
	for seed, jobs := range []int{1, 2, 5, 9, 14, 20, 24} {
		in := drawnPairs(int64(seed), jobs, 4)
		for name, rules := range map[string][2]share.Rule{
			"with pairs": {&share.MaxMinPacked{}, &MaxMinPacked{}},
			"alone":      {&share.MaxMin{}, &MaxMin{}},
		} {
			var x, y share.Shares
			rules[0].Share(in, &x)
			want := allowedPairs(t, in, &x)
			rules[1].Share(in, &x)
			if got := allowedPairs(t, in, &x); check.OffRel(got, want, 1e-6) {
				t.Errorf("%d jobs %s: the least normalised speed is %v, expected %v", jobs, name, got, want)
			}
			unlike := *in
			unlike.Jobs = slices.Clone(in.Jobs)
			for i := range unlike.Jobs {
				unlike.Jobs[i].Kind = 0
			}
			rules[1].Share(&unlike, &y)
			if !slices.Equal(x.Units, y.Units) {
				t.Fatalf("%d jobs %s: other units", jobs, name)
			}
			for k, u := range x.Units {
				for m, v := range x.X[k] {
					if check.Off(y.X[k][m], v, 1e-6) {
						t.Errorf("%d jobs %s: unit %v has %v of model %d, with kinds %v", jobs, name, u, y.X[k][m], m, v)
					}
				}
			}
		}
	}
}

// By levels every job's normalised speed is that of the simplex method.
func TestECOSLevels(t *testing.T) {
	check := near.Count(t)
	for seed, jobs := range []int{1, 2, 7, 15, 25, 40} {
		for _, agnostic := range []bool{false, true} {
			in := drawnPairs(int64(seed), jobs, 5)
			var x, y share.Shares
			(&share.MaxMin{Agnostic: agnostic, Levels: true}).Share(in, &x)
			(&MaxMin{Agnostic: agnostic, Levels: true}).Share(in, &y)
			allowedPairs(t, in, &y)
			speed := in.Speeds()
			if agnostic {
				speed = in.Alike(none)
			}
			for i, s := range in.Normal(speed) {
				if want, got := s*total(speed[i], x.X[i]), s*total(speed[i], y.X[i]); check.OffRel(got, want, 1e-5) {
					t.Errorf("%d jobs: job %d has a normalised speed of %v, expected %v", jobs, i, got, want)
				}
			}
		}
	}
}

// The agnostic form shares time, equally over models that are alike to it: by hand.
func TestECOSByHand(t *testing.T) {
	check := near.Count(t)
	in := &share.Input{GPUs: []int{1, 1, 1}, Jobs: []share.Job{{ID: 0, GPUs: 1, Weight: 1, Speed: []float64{3, 1, 2}},
		{ID: 1, GPUs: 1, Weight: 1, Speed: []float64{1, 1, 5}},
		{ID: 2, GPUs: 2, Weight: 2, Speed: []float64{9, 2, 1}}}}
	var x share.Shares
	(&MaxMin{Agnostic: true}).Share(in, &x)
	// All have the same time T, since the third has twice the weight and twice the GPUs. 1, 1 and 2 times T are the 3 GPUs: T is 0.75.
	for i, share := range x.X {
		for m, got := range share {
			if check.Off(got, 0.25, 1e-6) {
				t.Errorf("job %d has %v of model %d, expected 0.25", i, got, m)
			}
		}
	}
}
