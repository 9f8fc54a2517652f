package reference

import (
	"math"
	"slices"

	"github.com/marigram/marigram/policies/schedulers/share"
)

// share has the rule work out the shares anew.
func (r *rounds) share() {
	elapsed := r.t - r.last
	for m := range r.GPUs {
		r.worker[m] = credit * float64(len(r.active))
		for _, k := range r.active {
			u := &r.units[k]
			u.deficit[m] += u.x[m]*elapsed - (u.received[m] - credit)
			u.received[m] = credit
		}
	}
	r.last, r.need = r.t, false
	in := &r.input
	in.GPUs, in.Price, in.Jobs = r.GPUs, r.Price, in.Jobs[:0]
	if r.Together != nil {
		in.Together = func(a, b, m int) (float64, float64) { return r.Together(in.Jobs[a].ID, in.Jobs[b].ID, m) }
	}
	for _, j := range r.alive {
		s := &r.Jobs[j]
		left := math.Inf(1)
		if s.Deadline > 0 {
			left = r.jobs[j].seen + s.Deadline - r.t
		}
		in.Jobs = append(in.Jobs, share.Job{ID: j, Kind: s.Kind, GPUs: s.GPUs, Speed: s.Speed, Weight: s.Weight,
			Left: s.Steps - r.jobs[j].steps, Age: r.t - s.Arrival, Time: left})
	}
	for _, k := range r.active {
		clear(r.units[k].x)
		r.units[k].shared = true
	}
	if r.Pairs != nil {
		r.sharePairs(in)
	} else {
		r.Rule.Share(&in.Input, &r.shares)
		for i, j := range r.shares.Jobs {
			copy(r.units[r.jobs[in.Jobs[j].ID].unit].x, r.shares.X[i])
		}
	}
	r.sharing = r.sharing[:0]
	for _, k := range r.active {
		if slices.ContainsFunc(r.units[k].x, func(x float64) bool { return x != 0 }) {
			r.sharing = append(r.sharing, k)
		}
	}
}

// sharePairs has the rule for jobs that may share GPUs work out the shares.
func (r *rounds) sharePairs(in *PairInput) {
	r.Pairs.SharePairs(in, &r.pairShares)
	for i, v := range r.pairShares.Units {
		k := r.jobs[in.Jobs[v.A].ID].unit
		if v.B != Alone {
			k = r.pairs[Unit{A: in.Jobs[v.A].ID, B: in.Jobs[v.B].ID}]
		}
		copy(r.units[k].x, r.pairShares.X[i])
	}
}

// selectUnits gives out the GPUs of a round, model by model: to units with a share of it first, then to others, if they
// may.
func (r *rounds) selectUnits() {
	if r.Shuffle {
		copy(r.order, r.Order)
		r.random.Shuffle(len(r.order), func(i, j int) { r.order[i], r.order[j] = r.order[j], r.order[i] })
	}
	for _, m := range r.order {
		left := r.give(m, r.GPUs[m], r.sharing, true)
		if left > 0 && !r.OnlyShares {
			r.give(m, left, r.active, false)
		}
	}
}

// give gives GPUs of a model to units with or without a share of it, and returns how many are left. Where there are as
// many as they ask for, the order of jobs that are alone is of no matter.
func (r *rounds) give(m, left int, units []int, sharing bool) int {
	r.sorted = r.sorted[:0]
	asked := 0
	for _, k := range units {
		u := &r.units[k]
		if u.priority = r.priority(u, m); u.priority > 0 == sharing && r.taken[u.a] != r.count {
			r.sorted = append(r.sorted, k)
			asked += r.Jobs[u.a].GPUs
		}
	}
	if asked > left || r.Together != nil {
		r.rank(m)
	}
	for _, k := range r.sorted {
		if left == 0 {
			break
		}
		u := &r.units[k]
		s := r.Jobs[u.a].GPUs
		if s > left || r.taken[u.a] == r.count || u.b != Alone && r.taken[u.b] == r.count {
			continue
		}
		if of, other := r.speed(u, m); of <= 0 || other <= 0 {
			continue
		}
		left -= s
		r.taken[u.a] = r.count
		if u.b != Alone {
			r.taken[u.b] = r.count
		}
		if u.shared {
			r.run(k, m)
		}
	}
	return left
}

// rank sorts the listed units for a model: by priority, deficit and share.
func (r *rounds) rank(m int) {
	slices.SortStableFunc(r.sorted, func(a, b int) int {
		x, y := &r.units[a], &r.units[b]
		switch {
		case x.priority != y.priority:
			return descending(x.priority, y.priority)
		case x.deficit[m] != y.deficit[m]:
			return descending(x.deficit[m], y.deficit[m])
		}
		return descending(x.x[m], y.x[m])
	})
}

// priority is the share of a unit by the part of the time that it had; 0 without a share.
func (r *rounds) priority(u *unit, m int) float64 {
	if u.x[m] == 0 {
		return 0
	}
	if of, other := r.speed(u, m); of <= 0 || other <= 0 {
		return 0
	}
	if r.worker[m] > 0 {
		if f := u.received[m] / r.worker[m]; f > 0 {
			return u.x[m] / f
		}
	}
	return u.x[m] * fair
}

func descending(a, b float64) int {
	switch {
	case a > b:
		return -1
	case a < b:
		return 1
	}
	return 0
}

// run starts a unit for a round.
func (r *rounds) run(k, m int) {
	u := &r.units[k]
	of, other := r.speed(u, m)
	t := task{u: k, model: m}
	t.steps[0], t.finish = r.work(u.a, of)
	if u.b != Alone {
		var second float64
		t.steps[1], second = r.work(u.b, other)
		t.finish = max(t.finish, second)
	}
	if r.Watch != nil {
		r.Watch(r.t, u.a, u.b, m)
	}
	u.ran, u.task = r.count, len(r.running)
	r.running = append(r.running, t)
}

// work returns the steps that a job does in a round at a speed, and when it has done them.
func (r *rounds) work(j int, speed float64) (steps, finish float64) {
	steps = min(math.Floor(speed*round), r.Jobs[j].Steps-r.jobs[j].steps)
	return steps, r.t + steps/speed
}
