package gym

import (
	"cmp"
	"maps"
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
func groupsOf(pools []sim.Pool) (groups []group) {
	for p := range pools {
		pool := &pools[p]
		name := cmp.Or(pool.GPU, pool.InstanceType)
		if pool.OnDemand {
			name += " on demand"
		} else if !pool.IsServer() {
			name += " spot"
		}
		at := slices.IndexFunc(groups, func(g group) bool { return g.name == name })
		if at < 0 {
			at = len(groups)
			groups = append(groups, group{name: name})
		}
		groups[at].pools = append(groups[at].pools, p)
		groups[at].gpus += pool.Quota
	}
	return groups
}

// groupWith returns the number of the group that a pool belongs to, from 1.
func groupWith(groups []group, pool int32) int {
	return 1 + slices.IndexFunc(groups, func(g group) bool { return slices.Contains(g.pools, int(pool)) })
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
		if on := s.groupPlanned(plan, j); on != 0 && on != s.choice[v.Job(j).ID()] {
			plan.Stop(j)
		}
		for _, part := range plan.Parts(j) {
			s.free[part.Pool] -= int(part.N)
		}
	}
	for _, j := range v.ActiveJobs() {
		if chosen := s.choice[v.Job(j).ID()]; chosen != 0 && plan.Held(j) == 0 {
			s.place(v, plan, j, &s.groups[chosen-1])
		}
	}
	plan.WakeIn(s.step - v.Now().Sub(v.Start())%s.step)
}

// groupPlanned is the group on which the plan has a job, from 1; 0: it waits.
func (s *scheduler) groupPlanned(plan *sim.Plan, j int) int {
	for _, part := range plan.Parts(j) {
		if part.N > 0 {
			return groupWith(s.groups, part.Pool)
		}
	}
	return 0
}

// place gives a job its GPUs of a group, if there are enough: on the first server that has them, else on those with
// most.
func (s *scheduler) place(v sim.View, plan *sim.Plan, j int, g *group) {
	need := gangOf(v, j).Gang()
	free := 0
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
		placed := min(need, s.free[best])
		plan.Place(j, best, placed)
		s.free[best] -= placed
		need -= placed
	}
}

func gangOf(v sim.View, j int) sim.GangModel { return v.Job(j).Model().(sim.GangModel) }

// speedOn is how fast a job is on a group, in units of its work a second: in one pool of it.
func speedOn(v sim.View, j int, g *group) float64 {
	model := gangOf(v, j)
	layout := sim.Layout{Workers: []int32{int32(model.Gang())}, Pools: []int32{int32(g.pools[0])}}
	return model.Rate(&layout).Progress
}

// choose takes an action: the choice for each of the jobs that have a slot.
func (s *scheduler) choose(v sim.View, slots int, choice []int32) {
	if s.choice == nil {
		s.choice = map[int]int{}
	}
	clear(s.choice)
	for k, j := range v.ActiveJobs() {
		if k < slots { // others have no slot yet
			s.choice[v.Job(j).ID()] = int(choice[k])
		}
	}
}

// copyTo makes to the same for a fork.
func (s *scheduler) copyTo(to *scheduler) {
	to.step = s.step
	to.groups = s.groups
	to.choice = maps.Clone(s.choice)
}

// slotFields is what is observed of each slot besides the hours on each group.
const slotFields = 6

// maxJobs bounds numbers of jobs and of GPUs that are observed.
const maxJobs = 1e6
