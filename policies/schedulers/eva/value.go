package eva

import (
	"math"
	"slices"
	"strconv"

	"github.com/marigram/marigram/sim"
)

// learn notes the speeds that are seen, and which parts of moves have been.
func (s *state) learn(v sim.View) {
	on := map[int][]*Task{}
	for _, slot := range s.jobs {
		j := s.of[slot]
		for k := range j.tasks {
			if id := v.Job(slot).On(k); id != sim.Nowhere {
				on[id] = append(on[id], &j.tasks[k])
			}
			s.saw(v, slot, k)
		}
	}
	s.learnSingle(v, on)
	for _, slot := range s.jobs {
		j := s.of[slot]
		if len(j.tasks) == 1 {
			continue
		}
		var all []Seen
		for k := range j.tasks {
			if id := v.Job(slot).On(k); s.known(v, on[id]) {
				all = append(all, Seen{Of: &j.tasks[k], With: on[id], Speed: v.Job(slot).Keeps()})
			}
		}
		if len(all) == len(j.tasks) {
			s.planner.Speed.Learn(all)
		}
	}
}

// learnSingle notes the speeds of jobs of one task, instance by instance.
func (s *state) learnSingle(v sim.View, on map[int][]*Task) {
	for k := range v.Hosts() {
		h := v.Host(k)
		list := on[h.ID]
		if h.Ending || !s.known(v, list) {
			continue
		}
		for _, t := range list {
			if t.Tasks == 1 {
				s.planner.Speed.Learn([]Seen{{Of: t, With: list, Speed: v.Job(t.ID >> taskBits).Keeps()}})
			}
		}
	}
}

// known reports whether the speeds of all tasks of an instance are seen.
func (s *state) known(v sim.View, list []*Task) bool {
	return len(list) > 0 && !slices.ContainsFunc(list, func(t *Task) bool { return v.Job(t.ID>>taskBits).Keeps() == 0 })
}

// saw notes how long a task takes to be launched, once one of its kind has been, and to be saved.
func (s *state) saw(v sim.View, slot, k int) {
	j, t := s.of[slot], &s.of[slot].tasks[k]
	for len(s.moving) <= t.Kind {
		s.moving = append(s.moving, moved{})
	}
	m, times := &s.moving[t.Kind], v.Job(slot).Model().(sim.TaskModel).Times()
	if v.Job(slot).Launched(k) {
		m.launch = (times.Launch + times.Build).Seconds()
		if j.left {
			m.save = times.Save.Seconds()
		}
	}
}

// notice counts the jobs that came and went, if that changes what can be moved. A job that is being moved is neither in
// one list nor in the other, and so counted twice, as in Eva's simulator.
func (s *state) notice(sim.View) {
	same := len(s.last) == len(s.jobs)
	for k := 0; same && k < len(s.jobs); k++ {
		same = s.last[k] == s.of[s.jobs[k]]
	}
	if same {
		return
	}
	var ticks []sim.Time
	was := map[*job]bool{}
	for _, j := range s.last {
		was[j] = true
		if j.ended != sim.Never {
			ticks = append(ticks, j.ended)
		}
	}
	for _, slot := range s.jobs {
		if j := s.of[slot]; !was[j] {
			ticks = append(ticks, j.arrived)
		}
	}
	if len(ticks) == 0 {
		return
	}
	slices.Sort(ticks)
	if s.events == 0 {
		s.first = ticks[0]
	}
	s.events, s.end = s.events+len(ticks), ticks[len(ticks)-1]
}

// horizon is how long a plan is expected to hold, s: jobs come and go at a rate, and with a probability that is learned such
// an event brings a new plan of all tasks. Before the first it is the time so far.
func (s *state) horizon(v sim.View) float64 {
	if s.events == 0 || s.fullPlans == 0 {
		return v.Now().Sub(v.Start()).Seconds()
	}
	p, mean := float64(s.fullPlans)/float64(s.events), 0.0
	if s.events > 1 {
		mean = s.end.Sub(s.first).Seconds() / float64(s.events-1)
	}
	return -mean / math.Log(1-p)
}

// value is what a plan saves until the horizon, less what it costs to move to it, USD.
func (s *state) value(v sim.View, plan []Planned, now *sim.Plan, horizon float64) float64 {
	value, price := 0.0, 0.0
	for _, x := range plan {
		value += s.planner.Value(x.Tasks, false)
		price += s.planner.Types[x.Type].USD
	}
	saving := (value - cents(price)) / 3600
	return cents(saving*horizon - s.migration(v, plan, now))
}

// startup is how long a new instance is taken to cost before it is of use, s.
const startup = 300

// migration is what it costs to move to a plan, USD.
func (s *state) migration(v sim.View, plan []Planned, now *sim.Plan) float64 {
	moves := map[int]bool{}
	cost := 0.0
	for _, x := range plan {
		if x.Instance == New {
			cost += startup * s.planner.Types[x.Type].USD / 3600
		}
		for _, t := range x.Tasks {
			if slot := t.ID >> taskBits; now.Assigned(slot, t.ID&(1<<taskBits-1)) != x.Instance || x.Instance == New {
				moves[slot] = true
			}
		}
	}
	for _, slot := range s.jobs {
		if !moves[slot] {
			continue
		}
		longest := 0.0
		for k := range s.of[slot].tasks {
			if kind := s.of[slot].tasks[k].Kind; kind < len(s.moving) {
				longest = max(longest, s.moving[kind].launch+s.moving[kind].save)
			}
		}
		cost += (longest + v.Job(slot).Model().(sim.TaskModel).Times().Init.Seconds()) * s.priceAlone(v, slot)
	}
	return cost
}

// priceAlone is the price a second of the instances that would be rented for a job alone.
func (s *state) priceAlone(v sim.View, slot int) float64 {
	j := s.of[slot]
	if j.alone == 0 {
		p := Planner{Types: slices.Clone(s.planner.Types), Speed: &Speeds{}}
		for k := range p.Types {
			p.Types[k].Free = Unlimited
		}
		var tasks []*Task
		for k := range j.tasks {
			tasks = append(tasks, &j.tasks[k])
		}
		for _, x := range p.TopDown(nil, tasks, nil) {
			j.alone += s.planner.Types[x.Type].USD / 3600
		}
	}
	return j.alone
}

// cents rounds to two decimals as Python's round does: the value in binary, half to even.
func cents(x float64) float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return x
	}
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'f', 2, 64), 64)
	if err != nil {
		return math.NaN()
	}
	return y
}
