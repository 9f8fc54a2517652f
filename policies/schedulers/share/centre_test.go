package share

import (
	"math"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/pyrandom"
)

// drawn is a state with so many jobs, some of which do not run on some model.
func drawn(seed int64, jobs int) *Input {
	draws := pyrandom.New(seed)
	in := &Input{GPUs: []int{36, 0, 24, 36}}
	for i := range jobs {
		j := Job{ID: i, GPUs: 1 << draws.Below(4), Weight: 1 + 4*float64(draws.Below(2)), Left: 1e5 * (1 + draws.Random()), Age: 1e5 * draws.Random()}
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

// In the centre the least normalised speed is what the simplex method finds, the largest fairness and the least time too, and the shares are feasible.
func TestCentre(t *testing.T) {
	check := near.Count(t)
	for seed, jobs := range []int{1, 2, 10, 30, 60, 161, 181} {
		in := drawn(int64(seed), jobs)
		var x Shares
		for _, agnostic := range []bool{false, true} {
			r := &MaxMin{Agnostic: agnostic, Centre: true}
			r.Share(in, &x)
			allowed(t, in, &x)
			speed := in.speeds()
			if agnostic {
				speed = in.alike(none)
			}
			level := make([]float64, len(in.Jobs))
			for i := range level {
				level[i] = math.NaN()
			}
			if _, want := (&MaxMin{}).raise(in, speed, in.normal(speed), level); check.OffRel(r.mid.level, want, 2e-7) {
				t.Errorf("%d jobs: the least normalised speed is %v, expected %v", len(in.Jobs), r.mid.level, want)
			}
		}
		if jobs > 60 {
			continue // the simplex method would take seconds
		}
		d := &MinDuration{Centre: true}
		d.Share(in, &x)
		allowed(t, in, &x)
		longest := 0.0
		for i := range in.Jobs {
			longest = max(longest, in.Jobs[i].Left)
		}
		if _, want := (&MinDuration{}).solve(in); check.OffRel(longest/d.mid.level, want, 2e-7) {
			t.Errorf("%d jobs: the least time is %v s, expected %v", jobs, longest/d.mid.level, want)
		}
		r := &FinishTime{Centre: true}
		r.Share(in, &x)
		allowed(t, in, &x)
		if _, want := (&FinishTime{}).solve(in, (&FinishTime{}).expect(in, in.speeds())); check.OffRel(r.fairness, want, 1e-6) {
			t.Errorf("%d jobs: the largest fairness is %v, expected %v", len(in.Jobs), r.fairness, want)
		}
	}
}

// allowed reports shares that are not feasible.
func allowed(t *testing.T, in *Input, x *Shares) {
	t.Helper()
	check := near.Count(t)
	used := make([]float64, len(in.GPUs))
	for i, u := range x.Units {
		time := 0.0
		for m, v := range x.X[i] {
			if check.Below(v, 0) || v > 0 && in.GPUs[m] == 0 {
				t.Errorf("job %d has a share of %v of model %d", u.A, v, m)
			}
			time += v
			used[m] += v * float64(in.Jobs[u.A].GPUs)
		}
		if check.Above(time, 1+1e-12) {
			t.Errorf("job %d has a time of %v", u.A, time)
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
	// Two jobs of a GPU each on one GPU of one model: each has half; three of which one has a weight of 2: it has twice as much.
	in := &Input{GPUs: []int{1}, Jobs: []Job{{ID: 0, GPUs: 1, Weight: 1, Speed: []float64{3}}, {ID: 1, GPUs: 1, Weight: 1, Speed: []float64{5}}, {ID: 2, GPUs: 1, Weight: 2, Speed: []float64{1}}}}
	var x Shares
	(&MaxMin{Centre: true}).Share(in, &x)
	for i, want := range []float64{0.25, 0.25, 0.5} {
		if got := x.X[i][0]; check.Off(got, want, 1e-7) {
			t.Errorf("job %d has %v, expected %v", i, got, want)
		}
	}
	// A job alone on two models of a GPU each, of the same speed: the product of both shares is the largest with a half of each.
	in = &Input{GPUs: []int{1, 1}, Jobs: []Job{{ID: 0, GPUs: 1, Weight: 1, Speed: []float64{2, 2}}}}
	(&MaxMin{Centre: true}).Share(in, &x)
	for m, got := range x.X[0] {
		if check.Off(got, 0.5, 1e-7) {
			t.Errorf("model %d has %v, expected 0.5", m, got)
		}
	}
}
