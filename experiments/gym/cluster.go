package gym

import (
	"slices"
	"time"

	"github.com/marigram/marigram/sim"
)

// Action is one number of an action: a whole number from 0 to below Choices.
type Action struct {
	Name    string `json:"name"`
	Choices int    `json:"choices"`
}

// group is pools whose GPUs are alike: of one model, all of one's own, all on spot or all on demand.
type group struct {
	name  string
	pools []int
	gpus  int
}

// groupsOf groups pools, in their order.
func groupsOf(pools []sim.Pool) (all []group) {
	for p := range pools {
		x := &pools[p]
		name := x.GPU
		if name == "" {
			name = x.InstanceType
		}
		switch {
		case x.OnDemand:
			name += " on demand"
		case !x.Reserved:
			name += " spot"
		}
		k := slices.IndexFunc(all, func(g group) bool { return g.name == name })
		if k < 0 {
			k, all = len(all), append(all, group{name: name})
		}
		all[k].pools, all[k].gpus = append(all[k].pools, p), all[k].gpus+x.Quota
	}
	return all
}

// scheduler is a policy of many jobs whose decisions come from outside, a step at a time: a job runs on the group of
// pools that was chosen for it, on as few servers as it can, where there is room; or it waits. Jobs are served in the
// order of their submission.
type scheduler struct {
	step   time.Duration
	groups []group
	choice map[int]int // by number of a job: its group from 1; 0 and absent: none

	free []int // scratch, by pool
}

// Name implements sim.Policy.
func (*scheduler) Name() string { return "agent" }

// Traits says what the policy is.
func (*scheduler) Traits() sim.Traits {
	return sim.Traits{Plans: sim.ByParts, KnowsModels: true, KnowsWork: true}
}

// Decide implements sim.Policy.
func (s *scheduler) Decide(v sim.View, plan *sim.Plan) {
	s.free = s.free[:0]
	for p := range v.Pools() {
		s.free = append(s.free, v.Pool(p).Quota)
	}
	for _, j := range v.ActiveJobs() {
		if g := s.on(plan, j); g != 0 && g != s.choice[v.Job(j).ID()] {
			plan.Stop(j)
		}
		for _, x := range plan.Parts(j) {
			s.free[x.Pool] -= int(x.N)
		}
	}
	for _, j := range v.ActiveJobs() {
		if g := s.choice[v.Job(j).ID()]; g != 0 && plan.Held(j) == 0 {
			s.place(v, plan, j, &s.groups[g-1])
		}
	}
	plan.WakeIn(s.step - v.Now().Sub(v.Start())%s.step)
}

// on is the group on which the plan has a job, from 1; 0: it waits.
func (s *scheduler) on(plan *sim.Plan, j int) int {
	for _, x := range plan.Parts(j) {
		if x.N > 0 {
			return 1 + slices.IndexFunc(s.groups, func(g group) bool { return slices.Contains(g.pools, int(x.Pool)) })
		}
	}
	return 0
}

// place gives a job its GPUs of a group, if there are enough: on the first server that has them, else on those with
// most.
func (s *scheduler) place(v sim.View, plan *sim.Plan, j int, g *group) {
	need, free := gangOf(v, j).Gang(), 0
	for _, p := range g.pools {
		free += s.free[p]
	}
	if free < need || speedOn(v, j, g) == 0 {
		return
	}
	for need > 0 {
		best := g.pools[0]
		for _, p := range g.pools {
			if s.free[p] >= need {
				best = p
				break
			}
			if s.free[p] > s.free[best] {
				best = p
			}
		}
		n := min(need, s.free[best])
		plan.Place(j, best, n)
		s.free[best], need = s.free[best]-n, need-n
	}
}

func gangOf(v sim.View, j int) sim.GangModel { return v.Job(j).Model().(sim.GangModel) }

// speedOn is how fast a job is on a group, in units of its work a second: in one pool of it.
func speedOn(v sim.View, j int, g *group) float64 {
	m := gangOf(v, j)
	return m.Rate(&sim.Layout{Workers: []int32{int32(m.Gang())}, Pools: []int32{int32(g.pools[0])}}).Progress
}

// chosen takes an action: the choice for each of the jobs that have a slot.
func (s *scheduler) chosen(v sim.View, slots int, choice []int32) {
	if s.choice == nil {
		s.choice = map[int]int{}
	}
	clear(s.choice)
	for k, j := range v.ActiveJobs() {
		id := v.Job(j).ID()
		switch {
		case k < slots:
			s.choice[id] = int(choice[k])
		default:
			s.choice[id] = 0 // it has no slot yet
		}
	}
}

// copyTo makes to the same for a fork.
func (s *scheduler) copyTo(to *scheduler) {
	to.step, to.groups = s.step, s.groups
	to.choice = map[int]int{}
	for id, g := range s.choice {
		to.choice[id] = g
	}
}

// slotFields is what is observed of each slot besides the hours on each group.
const slotFields, groupFields, clusterFields = 6, 4, 4

// maxJobs bounds numbers of jobs and of GPUs that are observed.
const maxJobs = 1e6
