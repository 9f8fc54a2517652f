package pairs

import (
	"slices"

	"github.com/marigram/marigram/policies/schedulers/share"
	"github.com/marigram/marigram/sim"
)

// fair is the priority, by its share, of a unit that has had no time at all.
const fair = 1e9

// count adds the time since the last decision to what units have received.
func (s *state) count(v sim.View) {
	seconds := v.Now().Sub(s.at).Seconds()
	s.at = v.Now()
	for _, j := range s.active {
		if x := &s.jobs[j]; x.in != nil && x.in.a == j {
			x.in.received[x.model] += seconds
			s.worker[x.model] += seconds
		}
	}
}

// share works out the shares.
func (s *state) share(v sim.View) {
	elapsed := 0.0
	if s.worked != sim.Never {
		elapsed = v.Now().Sub(s.worked).Seconds()
	}
	for _, u := range s.units {
		for m := range u.x {
			u.deficit[m] += u.x[m]*elapsed - (u.received[m] - s.credit)
			u.received[m] = s.credit
		}
		clear(u.x)
	}
	for m := range s.worker {
		s.worker[m] = s.credit * float64(len(s.units))
	}
	s.rule.Share(s.see(v), &s.shares)
	s.tabulate()
	for k, of := range s.shares.Units {
		u := s.jobs[s.listed[of.A]].alone
		if of.B != share.Alone {
			u = s.table[of.A*len(s.listed)+of.B]
		}
		if u != nil { // else they cannot share GPUs
			copy(u.x, s.shares.X[k])
		}
	}
	s.worked, s.stale = v.Now(), false
}

// see is what the rule sees: the jobs for which there are GPUs at all.
func (s *state) see(v sim.View) *share.Input {
	in := &s.input
	in.GPUs, in.Price, in.Jobs = in.GPUs[:0], in.Price[:0], in.Jobs[:0]
	for m, n := range s.models.gpus {
		in.GPUs, in.Price = append(in.GPUs, n), append(in.Price, v.Price(s.models.pools[m][0]))
	}
	s.listed = s.listed[:0]
	for _, j := range s.active {
		g, x := tasks(v, j), &s.jobs[j]
		if x.place = -1; !s.models.has(x.speed, x.gpus) {
			continue
		}
		x.place = len(s.listed)
		s.listed = append(s.listed, j)
		in.Jobs = append(in.Jobs, share.Job{ID: v.Job(j).ID(), Kind: g.Kind() + 1, GPUs: x.gpus, Speed: x.speed, Weight: g.Weight(), Left: v.Job(j).WorkLeft(),
			Age: v.Now().Sub(x.came).Seconds(), Time: v.Job(j).Deadline().Sub(v.Now()).Seconds()})
	}
	in.Together = func(a, b, m int) (of, beside float64) { return s.together(v, s.listed[a], s.listed[b], m) }
	return in
}

// tabulate puts the pairs where their places among the jobs say.
func (s *state) tabulate() {
	n := len(s.listed)
	s.table = slices.Grow(s.table[:0], n*n)[:n*n]
	clear(s.table)
	for _, u := range s.units {
		if u.b != share.Alone && s.jobs[u.a].place >= 0 && s.jobs[u.b].place >= 0 {
			s.table[s.jobs[u.a].place*n+s.jobs[u.b].place] = u
		}
	}
}

// priority is the share of a unit by the part of the time that it has had; 0 without a share.
func (s *state) priority(u *unit, m int) float64 {
	if u.x[m] == 0 || !u.runs[m] {
		return 0
	}
	if s.worker[m] > 0 && u.received[m] > 0 {
		return u.x[m] / (u.received[m] / s.worker[m])
	}
	return u.x[m] * fair
}
