package reference

import (
	"math"
	"slices"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/pyrandom"
	"github.com/marigram/marigram/papers/gavel/rules"
	"github.com/marigram/marigram/policies/schedulers/share"
)

// drawnState is a state of a cluster, with n kinds of jobs.
func drawnState(seed int64, jobs, kinds int) *share.Input {
	draws := pyrandom.New(seed)
	in := &share.Input{GPUs: []int{6, 0, 4, 6}}
	speed := make([][]float64, kinds)
	weight := make([]float64, kinds)
	for k := range kinds {
		weight[k] = 1 + float64(draws.Below(2))
		for range in.GPUs {
			speed[k] = append(speed[k], 1+9*draws.Random())
		}
		if draws.Random() < 0.2 {
			speed[k][0] = 0
		}
		for range 2 * kinds {
			draws.Random() // so that the states are those on which these tolerances were set
		}
	}
	for i := range jobs {
		k := draws.Below(kinds)
		in.Jobs = append(in.Jobs, share.Job{ID: i, Kind: 1 + k, GPUs: 1 << (k % 2), Weight: weight[k], Speed: speed[k]})
	}
	return in
}

// allowedShares reports shares that are not feasible, and returns the least normalised speed.
func allowedShares(t *testing.T, in *share.Input, x *share.Shares) float64 {
	t.Helper()
	check := near.Count(t)
	used, time, speed := make([]float64, len(in.GPUs)), make([]float64, len(in.Jobs)), make([]float64, len(in.Jobs))
	for k, j := range x.Jobs {
		for m, v := range x.X[k] {
			if check.Below(v, 0) || v > 0 && in.GPUs[m] == 0 {
				t.Errorf("job %d has a share of %v of model %d", j, v, m)
			}
			used[m] += v * float64(in.Jobs[j].GPUs)
			time[j] += v
			speed[j] += v * in.Jobs[j].Speed[m]
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

// Where ECOS ends the least normalised speed is what the simplex method finds, and the shares are feasible; they are
// the same where nobody says that jobs are alike.
func TestECOS(t *testing.T) {
	check := near.Count(t)
	for seed, jobs := range []int{1, 2, 5, 9, 14, 20, 24} {
		in := drawnState(int64(seed), jobs, 4)
		var x, y share.Shares
		(&share.MaxMin{}).Share(in, &x)
		want := allowedShares(t, in, &x)
		(&MaxMin{}).Share(in, &x)
		if got := allowedShares(t, in, &x); check.OffRel(got, want, 1e-6) {
			t.Errorf("%d jobs: the least normalised speed is %v, expected %v", jobs, got, want)
		}
		unlike := *in
		unlike.Jobs = slices.Clone(in.Jobs)
		for i := range unlike.Jobs {
			unlike.Jobs[i].Kind = 0
		}
		(&MaxMin{}).Share(&unlike, &y)
		if !slices.Equal(x.Jobs, y.Jobs) {
			t.Fatalf("%d jobs: other jobs have shares", jobs)
		}
		for k, j := range x.Jobs {
			for m, v := range x.X[k] {
				if check.Off(y.X[k][m], v, 1e-6) {
					t.Errorf("%d jobs: job %d has %v of model %d, with kinds %v", jobs, j, y.X[k][m], m, v)
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
			in := drawnState(int64(seed), jobs, 5)
			var x, y share.Shares
			(&share.MaxMin{Agnostic: agnostic, Levels: true}).Share(in, &x)
			(&MaxMin{Agnostic: agnostic, Levels: true}).Share(in, &y)
			allowedShares(t, in, &y)
			speed := in.Speeds()
			if agnostic {
				speed = in.Alike(none)
			}
			for i, s := range in.Normal(speed) {
				if want, got := s*rules.Speed(speed[i], x.X[i]), s*rules.Speed(speed[i], y.X[i]); check.OffRel(got, want, 1e-5) {
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
	// All have the same time T, since the third has twice the weight and twice the GPUs. 1, 1 and 2 times T are the 3
	// GPUs: T is 0.75.
	for i, share := range x.X {
		for m, got := range share {
			if check.Off(got, 0.25, 1e-6) {
				t.Errorf("job %d has %v of model %d, expected 0.25", i, got, m)
			}
		}
	}
}
