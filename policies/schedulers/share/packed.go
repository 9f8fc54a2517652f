package share

import "math"

// MaxMinPacked (max_min_fairness_packed) is MaxMin with pairs of jobs of as many GPUs on the same
// GPUs, where both are faster for it than they would be by turns. Speeds have the precision of
// float32, as in the public code.
//
// Optima are many, as those of MaxMin, and it takes one with the largest sum of normalised speeds.
type MaxMinPacked struct {
	running Running
	lp      program
	units   []packedUnit
}

// packedUnit is a job or a pair, with the variables of its shares by model.
type packedUnit struct {
	Unit
	at        []int
	of, other []float64 // speeds by model
}

// Share implements Rule.
func (r *MaxMinPacked) Share(in *Input, x *Shares) {
	x.Reset()
	if some := r.running.Of(in); len(some.Jobs) > 0 {
		r.max(some, some.Normal(some.Speeds()), x)
		r.running.Back(x)
	}
}

// most makes the least of the jobs' speeds, each times its scale, as large as it can be, and takes an optimum with the largest sum of them.
func (r *MaxMinPacked) max(in *Input, scale []float64, x *Shares) {
	x.Reset()
	n := r.list(in)
	z := n
	r.rows(in, n+1)
	r.lp.goal[z] = 1
	for i := range in.Jobs {
		row := r.lp.row(0)
		r.work(row, i, -scale[i])
		row[z] = 1
	}
	solution, value, _ := r.lp.solve()
	r.rows(in, n)
	for i := range in.Jobs {
		r.work(r.lp.goal, i, scale[i])
		r.work(r.lp.row(-value*(1-slackOf)), i, -scale[i])
	}
	if best, _, ok := r.lp.solve(); ok {
		solution = best
	}
	for k := range r.units {
		u := &r.units[k]
		share := x.Add(u.Unit, len(in.GPUs))
		for m, v := range u.at {
			if v != none {
				share[m] = solution[v]
			}
		}
	}
}

// list lists the units, and returns how many variables they have.
func (r *MaxMinPacked) list(in *Input) (variables int) {
	r.units = r.units[:0]
	add := func(u packedUnit) {
		for m := range in.GPUs {
			runs := u.of[m] > 0 && (u.B == Alone || u.other[m] > 0) && in.GPUs[m] > 0
			if !runs {
				u.at = append(u.at, none)
				continue
			}
			u.at = append(u.at, variables)
			variables++
		}
		r.units = append(r.units, u)
	}
	for i := range in.Jobs {
		of := make([]float64, len(in.GPUs))
		for m, v := range in.Jobs[i].Speed {
			of[m] = float64(float32(v))
		}
		add(packedUnit{Unit: Unit{i, Alone}, of: of})
	}
	for b := range in.Jobs {
		for a := range b {
			if in.Together == nil || in.Jobs[a].GPUs != in.Jobs[b].GPUs {
				continue
			}
			u := packedUnit{Unit: Unit{a, b}, of: make([]float64, len(in.GPUs)), other: make([]float64, len(in.GPUs))}
			for m := range in.GPUs {
				of, other := in.Together(a, b, m)
				u.of[m], u.other[m] = float64(float32(of)), float64(float32(other))
			}
			add(u)
		}
	}
	return variables
}

// rows begins a program with the time of every job and the GPUs of every model.
func (r *MaxMinPacked) rows(in *Input, variables int) {
	r.lp.reset(variables)
	first := len(r.lp.rows)
	for range in.Jobs {
		r.lp.row(1)
	}
	for _, gpus := range in.GPUs {
		r.lp.row(float64(gpus))
	}
	for k := range r.units {
		u := &r.units[k]
		for m, v := range u.at {
			if v == none {
				continue
			}
			r.lp.rows[first+u.A][v] = 1
			if u.B != Alone {
				r.lp.rows[first+u.B][v] = 1
			}
			r.lp.rows[first+len(in.Jobs)+m][v] = float64(in.Jobs[u.A].GPUs)
		}
	}
}

// work adds a multiple of the speed of a job, in all its units, to a row.
func (r *MaxMinPacked) work(row []float64, job int, by float64) {
	for k := range r.units {
		u := &r.units[k]
		speed := u.of
		if u.B == job {
			speed = u.other
		} else if u.A != job {
			continue
		}
		for m, v := range u.at {
			if v != none {
				row[v] += by * speed[m]
			}
		}
	}
}

// MinDurationPacked (min_total_duration_packed) is MinDuration with pairs of jobs, as MaxMinPacked has them. Of the optima it takes one
// with the largest sum of the jobs' speeds, by what is left to each.
type MinDurationPacked struct{ lp MaxMinPacked }

// KnowsWork implements Knower.
func (*MinDurationPacked) KnowsWork() bool { return true }

// Share implements Rule.
func (r *MinDurationPacked) Share(in *Input, x *Shares) {
	x.Reset()
	in = r.lp.running.Of(in)
	if len(in.Jobs) == 0 {
		return
	}
	longest, scale := 0.0, make([]float64, len(in.Jobs))
	for i := range in.Jobs {
		longest = max(longest, in.Jobs[i].Left)
	}
	for i := range in.Jobs {
		scale[i] = longest / in.Jobs[i].Left
	}
	r.lp.max(in, scale, x)
	r.lp.running.Back(x)
}

// FinishTimePacked (finish_time_fairness_packed) is FinishTime with pairs of jobs, as MaxMinPacked has them. Of the optima it takes one
// with the largest sum of the jobs' speeds, by what each needs for the fairness.
type FinishTimePacked struct {
	lp    MaxMinPacked
	alone FinishTime // what the jobs would have had alone
}

// KnowsWork implements Knower.
func (*FinishTimePacked) KnowsWork() bool { return true }

// Clone implements Rememberer.
func (r *FinishTimePacked) Clone() Rule {
	return &FinishTimePacked{alone: FinishTime{known: r.alone.known}}
}

// Share implements Rule: shares have a fairness, and those that are best for it have a better one, until there is none (Dinkelbach's
// method).
func (r *FinishTimePacked) Share(in *Input, x *Shares) {
	x.Reset()
	expected := r.alone.expect(in, in.Speeds())
	in = r.lp.running.Of(in)
	if len(in.Jobs) == 0 {
		return
	}
	expected = r.lp.running.Only(expected)
	scale := make([]float64, len(in.Jobs))
	Isolated{}.Share(in, x)
	for worst, last := in.fairness(x, expected), math.Inf(1); worst < last*(1-closeEnough); {
		for i := range in.Jobs {
			scale[i] = (worst*expected[i] - in.Jobs[i].Age) / in.Jobs[i].Left
		}
		r.lp.max(in, scale, x)
		last, worst = worst, min(worst, in.fairness(x, expected))
	}
	r.lp.running.Back(x)
}

// closeEnough is by how much a fairness has to fall so that another program is solved.
const closeEnough = 1e-6

// fairness is the largest finish-time fairness of the jobs under shares.
func (in *Input) fairness(x *Shares, expected []float64) (worst float64) {
	speed := make([]float64, len(in.Jobs))
	for k, u := range x.Units {
		for m, v := range x.X[k] {
			switch {
			case v == 0:
			case u.B == Alone:
				speed[u.A] += v * in.Jobs[u.A].Speed[m]
			default:
				of, other := in.Together(u.A, u.B, m)
				speed[u.A] += v * of
				speed[u.B] += v * other
			}
		}
	}
	for i := range in.Jobs {
		j := &in.Jobs[i]
		worst = max(worst, (j.Age+j.Left/speed[i])/expected[i])
	}
	return worst
}
