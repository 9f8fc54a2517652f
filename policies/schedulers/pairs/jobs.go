package pairs

import (
	"cmp"
	"slices"

	"github.com/marigram/marigram/policies/schedulers/share"
	"github.com/marigram/marigram/sim"
)

// tasks returns the model of a job.
func tasks(v sim.View, j int) sim.TaskModel {
	m, ok := v.Job(j).Model().(sim.TaskModel)
	if !ok {
		panic("pairs: a job without tasks (sim.TaskModel)")
	}
	return m
}

// hear notes which jobs came and went.
func (s *state) hear(v sim.View) {
	for _, j := range slices.Clone(s.active) {
		if x := v.Job(j); !x.Active() || x.ID()+1 != s.jobs[j].number {
			s.leave(j)
		}
	}
	for len(s.jobs) < v.Jobs() {
		s.jobs = append(s.jobs, job{})
	}
	var came []int
	for _, j := range v.ActiveJobs() {
		if s.jobs[j].number != v.Job(j).ID()+1 {
			came = append(came, j)
		}
	}
	slices.SortFunc(came, func(a, b int) int { return cmp.Compare(v.Job(a).ID(), v.Job(b).ID()) })
	for _, j := range came {
		s.arrive(v, j)
	}
}

// leave takes a job out, and its units. A job that was on the same GPUs has them alone, and what was a share of both is its own.
func (s *state) leave(j int) {
	for _, u := range s.units {
		if u.b != share.Alone && (u.a == j || u.b == j) {
			for m, x := range u.x {
				s.jobs[u.a+u.b-j].alone.x[m] += x
			}
		}
	}
	if u := s.jobs[j].in; u != nil && u.b != share.Alone {
		o := &s.jobs[u.a+u.b-j]
		o.in = o.alone
	}
	s.jobs[j] = job{}
	s.active = slices.DeleteFunc(s.active, func(k int) bool { return k == j })
	s.units = slices.DeleteFunc(s.units, func(u *unit) bool { return u.a == j || u.b == j })
	s.stale = true
}

// arrive adds a job, and its pairs with all of as many GPUs.
func (s *state) arrive(v sim.View, j int) {
	models := len(s.models.pools)
	x := &s.jobs[j]
	*x = job{number: v.Job(j).ID() + 1, came: v.Job(j).Submitted(), gpus: tasks(v, j).Gang(), speed: make([]float64, models)}
	s.speeds(v, j, x.speed)
	x.alone = newUnit(j, share.Alone, models)
	s.units = append(s.units, x.alone)
	for m, speed := range x.speed {
		x.alone.runs[m] = speed > 0
		x.alone.received[m] = s.credit
	}
	for _, i := range s.active {
		if s.jobs[i].gpus != x.gpus {
			continue
		}
		u := newUnit(i, j, models)
		for m := range u.runs {
			of, beside := s.together(v, i, j, m)
			u.runs[m] = of > 0 && beside > 0
		}
		if slices.Contains(u.runs, true) {
			s.units = append(s.units, u)
		}
	}
	s.active = append(s.active, j)
	s.stale = true
}

// speeds asks the model of a job how fast it is on each model of GPU.
func (s *state) speeds(v sim.View, j int, into []float64) {
	g := tasks(v, j)
	s.layout.Workers = slices.Grow(s.layout.Workers[:0], v.Pools())[:v.Pools()]
	for m := range into {
		p := s.models.pools[m][0]
		if _, runs := g.Demand(p); !runs {
			continue
		}
		clear(s.layout.Workers)
		s.layout.Workers[p] = int32(g.Gang())
		into[m] = g.Rate(&s.layout).Progress
	}
}

// together returns the speeds of two jobs on the same GPUs of a model; 0, 0 where they cannot share them.
func (s *state) together(v sim.View, a, b, m int) (of, beside float64) {
	p := s.models.pools[m][0]
	x, runs := tasks(v, a).Demand(p)
	y, too := tasks(v, b).Demand(p)
	if !runs || !too || !v.Pool(p).Full.Fits(x, y) {
		return 0, 0
	}
	of, beside = s.jobs[a].speed[m]*v.Beside(p, a, b), s.jobs[b].speed[m]*v.Beside(p, b, a)
	if of <= 0 || beside <= 0 {
		return 0, 0
	}
	return of, beside
}
