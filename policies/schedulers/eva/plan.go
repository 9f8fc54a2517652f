package eva

import (
	"slices"

	"github.com/marigram/marigram/sim"
)

// see notes the hosts and where tasks are to be. Requests that waited too long are taken back.
func (e *Eva) see(v sim.View, s *state, plan *sim.Plan) {
	s.running, s.hosts = s.running[:0], s.hosts[:0]
	for k := range v.Hosts() {
		h := v.Host(k)
		switch {
		case h.Ending || h.Gone != sim.Never:
			continue
		case e.Patience > 0 && h.Granted == sim.Never && v.Now() >= h.Asked.Add(e.Patience) && v.Pool(h.Pool).Wait == 0:
			plan.Return(h.ID)
			s.fill(v, h.Pool)
			continue
		}
		s.hosts = append(s.hosts, h)
		s.running = append(s.running, Running{ID: h.ID, Type: h.Pool})
	}
	for _, slot := range s.jobs {
		s.of[slot].movable = v.Job(slot).Movable()
	}
	for k := range s.running {
		x := &s.running[k]
		for _, t := range s.planned[x.ID] {
			if j := s.jobOf(t); j != nil && plan.Assigned(j.slot, t.ID&(1<<taskBits-1)) == x.ID {
				x.Tasks = append(x.Tasks, t)
			}
		}
	}
	e.types(v, s)
}

// fill notes that a pool is full.
func (s *state) fill(v sim.View, pool int) {
	for len(s.full) <= pool {
		s.full = append(s.full, 0)
	}
	s.full[pool] = v.Now().Add(fullFor)
}

// at returns an instance that may be used, nil if there is none of that number.
func (s *state) at(id int) *Running {
	k, found := slices.BinarySearchFunc(s.running, id, func(r Running, id int) int { return r.ID - id })
	if !found {
		return nil
	}
	return &s.running[k]
}

// weigh plans, and takes the better of the plans.
func (e *Eva) weigh(v sim.View, s *state, plan *sim.Plan) {
	s.planner.Whole = e.Plans == Partial // as that variant of Eva has it
	movable := s.movable()
	s.notice(v)
	fixed := s.fixed(plan)
	if len(movable) == 0 {
		s.last = movable
		s.follow(plan, fixed)
		return
	}
	chosen := s.partial(plan, fixed, movable)
	plan.SetReason("few tasks are moved")
	if e.Plans == Whole {
		s.countFree(v)
		all, horizon := s.whole(fixed, movable), s.horizon(v)
		saves, moves := s.value(v, all, plan, horizon), s.value(v, chosen, plan, horizon)
		if plan.Recorded() {
			plan.AddInput("time until jobs come or go", horizon, "s")
			plan.AddCandidate(sim.Candidate{Name: "all tasks anew", Score: saves, Unit: "USD", Chosen: saves > moves})
			plan.AddCandidate(sim.Candidate{Name: "few tasks", Score: moves, Unit: "USD", Chosen: !(saves > moves)})
		}
		if saves > moves {
			s.fullPlans++
			chosen = all
			plan.SetReason("all tasks are placed anew")
		}
	}
	s.last = movable
	s.follow(plan, chosen)
}

// movable returns the jobs whose tasks may be planned anew.
func (s *state) movable() (list []*job) {
	for _, slot := range s.jobs {
		if j := s.of[slot]; j.movable {
			list = append(list, j)
		}
	}
	return list
}

// fixed is the plan of the tasks that cannot be moved.
func (s *state) fixed(now *sim.Plan) (plan []Planned) {
	for _, slot := range s.jobs {
		if j := s.of[slot]; !j.movable {
			for k := range j.tasks {
				plan = s.stay(plan, now, &j.tasks[k])
			}
		}
	}
	return plan
}

// stay plans a task where it was to be, if that may be used.
func (s *state) stay(plan []Planned, now *sim.Plan, t *Task) []Planned {
	r := s.at(now.Assigned(t.ID>>taskBits, t.ID&(1<<taskBits-1)))
	if r == nil {
		return plan
	}
	at := slices.IndexFunc(plan, func(p Planned) bool { return p.Instance == r.ID })
	if at < 0 {
		at = len(plan)
		plan = append(plan, Planned{Type: r.Type, Instance: r.ID})
	}
	plan[at].Tasks = append(slices.Clip(plan[at].Tasks), t)
	return plan
}

// whole plans all movable tasks anew.
func (s *state) whole(fixed []Planned, movable []*job) []Planned {
	var tasks []*Task
	for _, j := range movable {
		for k := range j.tasks {
			tasks = append(tasks, &j.tasks[k])
		}
	}
	plan := slices.Clone(fixed)
	rest := s.planner.PackIn(plan, tasks, s.running)
	return s.gangs(s.planner.TopDown(plan, rest, s.running))
}

// partial plans the tasks that have no instance, and those of instances whose value is below
// their price. The others stay, in the order of their jobs.
func (s *state) partial(now *sim.Plan, fixed []Planned, movable []*job) []Planned {
	var candidates []*Task
	for _, j := range movable {
		for k := range j.tasks {
			if t := &j.tasks[k]; s.at(now.Assigned(j.slot, k)) == nil {
				candidates = append(candidates, t)
			}
		}
	}
	for k := range s.running {
		r := &s.running[k]
		pinned := slices.ContainsFunc(fixed, func(x Planned) bool { return x.Instance == r.ID })
		if !pinned && !s.pays(r) {
			candidates = append(candidates, r.Tasks...)
		}
	}
	plan := slices.Clone(fixed)
	for _, j := range movable {
		for k := range j.tasks {
			if t := &j.tasks[k]; !slices.Contains(candidates, t) {
				plan = s.stay(plan, now, t)
			}
		}
	}
	rest := s.planner.PackIn(plan, candidates, s.running)
	return s.gangs(s.planner.TopDown(plan, rest, s.running))
}

// pays reports whether the tasks of an instance have at least its price as their value, or are one whose cheapest
// type it is.
func (s *state) pays(r *Running) bool {
	if len(r.Tasks) == 1 {
		if cheapest, _ := s.planner.Cheapest(r.Tasks[0]); cheapest == r.Type {
			return true
		}
	}
	return s.planner.Value(r.Tasks, s.planner.Whole) >= s.planner.Types[r.Type].USD
}

// gangs leaves out the jobs of which not all tasks have a place in a plan, and instances that are for them only.
func (s *state) gangs(plan []Planned) []Planned {
	n := map[int]int{}
	for _, x := range plan {
		for _, t := range x.Tasks {
			n[t.ID>>taskBits]++
		}
	}
	if !slices.ContainsFunc(s.jobs, func(slot int) bool { return n[slot] > 0 && n[slot] < len(s.of[slot].tasks) }) {
		return plan
	}
	for k := range plan {
		plan[k].Tasks = slices.DeleteFunc(slices.Clone(plan[k].Tasks), func(t *Task) bool {
			j := s.jobOf(t)
			return j.movable && n[j.slot] < len(j.tasks)
		})
	}
	return slices.DeleteFunc(plan, func(x Planned) bool { return len(x.Tasks) == 0 })
}

// follow has the world do what a plan says.
func (s *state) follow(plan *sim.Plan, to []Planned) {
	for k := range s.running {
		id := s.running[k].ID
		if !slices.ContainsFunc(to, func(p Planned) bool { return p.Instance == id }) {
			plan.Return(id)
		}
	}
	placed := map[int]bool{}
	clear(s.planned)
	for _, p := range to {
		id := p.Instance
		if id == New {
			id = plan.Rent(p.Type)
		}
		s.planned[id] = p.Tasks
		for _, t := range p.Tasks {
			slot, k := t.ID>>taskBits, t.ID&(1<<taskBits-1)
			if placed[t.ID] = true; plan.Assigned(slot, k) != id {
				s.of[slot].left = s.of[slot].left || plan.Assigned(slot, k) != sim.Nowhere
				plan.Assign(slot, k, id)
			}
		}
	}
	for _, j := range s.movable() {
		for k := range j.tasks {
			if !placed[j.tasks[k].ID] && plan.Assigned(j.slot, k) != sim.Nowhere {
				plan.Assign(j.slot, k, sim.Nowhere)
			}
		}
	}
}

// separate rents an instance for every task, and gives back those that no task needs any more.
func (e *Eva) separate(v sim.View, s *state, plan *sim.Plan) {
	for k := range s.running {
		if len(s.running[k].Tasks) == 0 {
			plan.Return(s.running[k].ID)
			delete(s.planned, s.running[k].ID)
		}
	}
	for _, slot := range s.jobs {
		j := s.of[slot]
		if !j.movable {
			continue
		}
		var chosen []int
		for k := range j.tasks {
			if x := s.at(plan.Assigned(slot, k)); x != nil {
				chosen = append(chosen, New)
				continue
			}
			typ, _ := s.planner.Cheapest(&j.tasks[k])
			if typ < 0 {
				break
			}
			if s.planner.Types[typ].Free--; s.planner.Types[typ].Free == 0 {
				s.planner.Reset()
			}
			chosen = append(chosen, typ)
		}
		if len(chosen) < len(j.tasks) {
			for k, typ := range chosen { // all or nothing
				if typ != New {
					s.planner.Types[typ].Free++
				}
				plan.Assign(slot, k, sim.Nowhere)
			}
			s.planner.Reset()
			continue
		}
		for k, typ := range chosen {
			if typ != New {
				id := plan.Rent(typ)
				plan.Assign(slot, k, id)
				s.planned[id] = []*Task{&j.tasks[k]}
			}
		}
	}
}
