package reference

import (
	"math"
	"slices"
)

// finish counts what a task did.
func (r *rounds) finish(k *task) {
	u := &r.units[k.u]
	if r.failed(u, k) {
		return
	}
	e := k.finish - r.start
	r.progress(u.a, k.steps[0], e, k)
	if u.b != Alone {
		r.progress(u.b, k.steps[1], e, k)
	}
	u.received[k.model] += e
	r.worker[k.model] += e
	r.close(u.a, k.finish)
	if b := u.b; b != Alone {
		r.close(b, k.finish)
	}
}

// failed reports whether a task is too short to count: no step for one of its GPUs.
func (r *rounds) failed(u *unit, k *task) bool {
	bad := r.tooShort(u.a, k.steps[0]) || u.b != Alone && r.tooShort(u.b, k.steps[1])
	for i, j := range [2]int{u.a, u.b} {
		switch {
		case i == 1 && j == Alone:
		case !bad:
			r.jobs[j].failures = 0
		default:
			r.need = true
			if r.jobs[j].failures++; r.jobs[j].failures == patience {
				r.drop(j)
			}
		}
	}
	return bad
}

func (r *rounds) tooShort(j int, steps float64) bool {
	s := r.Jobs[j].GPUs
	return steps <= 0 || s > 1 && math.Floor(steps/float64(s)) <= 0
}

// progress counts a job's steps and what they cost.
func (r *rounds) progress(j int, steps, e float64, k *task) {
	r.jobs[j].steps += steps
	if r.Price != nil {
		r.result[j].USD += r.Price[k.model] * e / 3600 * float64(r.Jobs[j].GPUs)
	}
}

// close ends a job that has done its steps.
func (r *rounds) close(j int, at float64) {
	if r.jobs[j].steps < r.Jobs[j].Steps {
		return
	}
	r.result[j].Done, r.result[j].JCT = true, at-r.Jobs[j].Arrival
	r.drop(j)
}

// drop takes a job and its units out of the simulation.
func (r *rounds) drop(j int) {
	r.need = true
	r.jobs[j].over = true
	if j < r.Until {
		r.open--
	}
	at, _ := slices.BinarySearch(r.alive, j)
	r.alive = slices.Delete(r.alive, at, at+1)
	of := func(k int) bool { return r.units[k].a == j || r.units[k].b == j }
	r.sharing = slices.DeleteFunc(r.sharing, of)
	r.active = slices.DeleteFunc(r.active, func(k int) bool {
		if u := &r.units[k]; of(k) && u.b != Alone {
			delete(r.pairs, Unit{A: u.a, B: u.b})
		}
		return of(k)
	})
}
