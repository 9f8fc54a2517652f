package reference

import (
	"math"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/pyrandom"
	"github.com/marigram/marigram/papers/gavel/rules"
	"github.com/marigram/marigram/policies/schedulers/share"
)

// drawn is a state with n jobs, some of which do not run on some model.
func drawn(seed int64, jobs int) *share.Input {
	draws := pyrandom.New(seed)
	in := &share.Input{GPUs: []int{36, 0, 24, 36}}
	for i := range jobs {
		j := share.Job{ID: i, GPUs: 1 << draws.Below(4), Weight: 1 + 4*float64(draws.Below(2)), Left: 1e5 * (1 + draws.Random()), Age: 1e5 * draws.Random()}
		for range in.GPUs {
			j.Speed = append(j.Speed, 1+9*draws.Random())
		}
		if draws.Random() < 0.1 {
			j.Speed[0] = 0
		}
		in.Jobs = append(in.Jobs, j)
	}
	return in
}

// In the centre the least normalised speed is what the simplex method finds, the largest fairness and the least time
// too, and the shares are feasible.
func TestCentre(t *testing.T) {
	check := near.Count(t)
	for seed, jobs := range []int{1, 2, 10, 30, 60, 161, 181} {
		in := drawn(int64(seed), jobs)
		var x, y share.Shares
		for _, agnostic := range []bool{false, true} {
			r := &MaxMin{Agnostic: agnostic, Centre: true}
			r.Share(in, &x)
			allowed(t, in, &x)
			(&share.MaxMin{Agnostic: agnostic}).Share(in, &y)
			if want := minSpeed(in, agnostic, &y); check.OffRel(r.mid.level, want, 2e-7) || check.OffRel(minSpeed(in, agnostic, &x), want, 2e-7) {
				t.Errorf("%d jobs: the least normalised speed is %v, expected %v", len(in.Jobs), r.mid.level, want)
			}
		}
		if jobs > 60 {
			continue // the simplex method would take seconds
		}
		(&MinDuration{}).Share(in, &x)
		allowed(t, in, &x)
		(&rules.MinDuration{}).Share(in, &y)
		if got, want := longest(in, &x), longest(in, &y); check.OffRel(got, want, 2e-7) {
			t.Errorf("%d jobs: the least time is %v s, expected %v", jobs, got, want)
		}
		r := &FinishTime{Centre: true}
		r.Share(in, &x)
		allowed(t, in, &x)
		(&rules.FinishTime{}).Share(in, &y)
		if want := worst(in, in.Speeds(), &y); check.OffRel(r.fairness, want, 1e-6) {
			t.Errorf("%d jobs: the largest fairness is %v, expected %v", len(in.Jobs), r.fairness, want)
		}
	}
}

// minSpeed is the least normalised speed of jobs under shares.
func minSpeed(in *share.Input, agnostic bool, x *share.Shares) float64 {
	speed, smallest := in.Speeds(), math.Inf(1)
	if agnostic {
		speed = in.Alike(none)
	}
	for i, scale := range in.Normal(speed) {
		smallest = min(smallest, scale*rules.Speed(speed[i], x.X[i]))
	}
	return smallest
}

// longest is when the last job is done under shares, s.
func longest(in *share.Input, x *share.Shares) (last float64) {
	for i := range in.Jobs {
		last = max(last, in.Jobs[i].Left/rules.Speed(in.Jobs[i].Speed, x.X[i]))
	}
	return last
}

// allowed reports shares that are not feasible.
func allowed(t *testing.T, in *share.Input, x *share.Shares) {
	t.Helper()
	check := near.Count(t)
	used := make([]float64, len(in.GPUs))
	for i, j := range x.Jobs {
		time := 0.0
		for m, v := range x.X[i] {
			if check.Below(v, 0) || v > 0 && in.GPUs[m] == 0 {
				t.Errorf("job %d has a share of %v of model %d", j, v, m)
			}
			time += v
			used[m] += v * float64(in.Jobs[j].GPUs)
		}
		if check.Above(time, 1+1e-12) {
			t.Errorf("job %d has a time of %v", j, time)
		}
	}
	for m, v := range used {
		if check.Above(v, float64(in.GPUs[m])*(1+1e-12)) {
			t.Errorf("%v GPUs of model %d, expected at most %d", v, m, in.GPUs[m])
		}
	}
}

// With one model and room for all, the centre of a job's share has as much slack below as above: by hand.
func TestCentreByHand(t *testing.T) {
	check := near.Count(t)
	// Two jobs of a GPU each on one GPU of one model: each has half; three of which one has a weight of 2: it has twice
	// as much.
	in := &share.Input{GPUs: []int{1}, Jobs: []share.Job{{ID: 0, GPUs: 1, Weight: 1, Speed: []float64{3}},
		{ID: 1, GPUs: 1, Weight: 1, Speed: []float64{5}}, {ID: 2, GPUs: 1, Weight: 2, Speed: []float64{1}}}}
	var x share.Shares
	(&MaxMin{Centre: true}).Share(in, &x)
	for i, want := range []float64{0.25, 0.25, 0.5} {
		if got := x.X[i][0]; check.Off(got, want, 1e-7) {
			t.Errorf("job %d has %v, expected %v", i, got, want)
		}
	}
	// A job alone on two models of a GPU each, of the same speed: the product of both shares is the largest with a half
	// of each.
	in = &share.Input{GPUs: []int{1, 1}, Jobs: []share.Job{{ID: 0, GPUs: 1, Weight: 1, Speed: []float64{2, 2}}}}
	(&MaxMin{Centre: true}).Share(in, &x)
	for m, got := range x.X[0] {
		if check.Off(got, 0.5, 1e-7) {
			t.Errorf("model %d has %v, expected 0.5", m, got)
		}
	}
}

// Where there are no GPUs for a job, or for none, no rule waits for ever, and what it shares out can be had.
func TestModelsWithoutGPUs(t *testing.T) {
	for name, rule := range map[string]func() share.Rule{
		"centre": func() share.Rule { return &MaxMin{Centre: true} }, "ECOS": func() share.Rule { return &MaxMin{} },
		"finish-time":        func() share.Rule { return &FinishTime{} },
		"finish-time-centre": func() share.Rule { return &FinishTime{Centre: true} }, "min-duration": func() share.Rule { return &MinDuration{} },
	} {
		for _, gpus := range [][]int{{0, 0}, {0, 4}, {4, 0}, {0, 1}} {
			for _, speeds := range [][]float64{{1, 0}, {1, 2}, {1, 0, 0, 2}, {1, 2, 3, 0}} {
				in := &share.Input{GPUs: gpus}
				for i := range 3 {
					at := 2 * i % len(speeds)
					in.Jobs = append(in.Jobs, share.Job{ID: i, GPUs: 1, Speed: speeds[at : at+2], Weight: 1, Left: 1000 * float64(1+i), Age: 100, Time: math.Inf(1)})
				}
				var x share.Shares
				for r, k := rule(), 0; k < 2; k++ {
					r.Share(in, &x)
					t.Run(name, func(t *testing.T) { possible(t, in, &x) })
				}
			}
		}
	}
}

// possible reports shares that cannot be had, up to rounding.
func possible(t *testing.T, in *share.Input, x *share.Shares) {
	check := near.Count(t)
	used := make([]float64, len(in.GPUs))
	for k, j := range x.Jobs {
		sum := 0.0
		for m, v := range x.X[k] {
			if check.Outside(v, -1e-9, 1+1e-6) {
				t.Errorf("job %d has a share of %v of model %d", j, v, m)
			}
			used[m] += v * float64(in.Jobs[j].GPUs)
			sum += v
		}
		if check.Above(sum, 1+1e-6) {
			t.Errorf("job %d has shares of %v together", j, sum)
		}
	}
	for m, n := range in.GPUs {
		if check.Above(used[m], float64(n)+1e-5) {
			t.Errorf("%v of %d GPUs of model %d are shared out", used[m], n, m)
		}
	}
}
