package schedulers

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// gang returns what a job is, and panics if it is none that a cluster can run.
func gang(v sim.View, j int) sim.GangModel {
	g, ok := v.Job(j).Model().(sim.GangModel)
	if !ok {
		panic("cluster: a job without a gang (sim.GangModel)")
	}
	return g
}

// SpeedIn is how fast a job is that has all its GPUs in pool p, as its model counts; 0: it does not run there. The
// layout is scratch.
func SpeedIn(l *sim.Layout, g sim.GangModel, p int) float64 {
	return rateIn(l, g, p).Progress
}

// rateIn is what a job does that has all its GPUs in pool p. The layout is scratch.
func rateIn(l *sim.Layout, g sim.GangModel, p int) sim.Rate {
	l.Workers = append(l.Workers[:0], int32(g.Gang()))
	l.Pools = append(l.Pools[:0], int32(p))
	return g.Rate(l)
}

// byNumber returns the active jobs by their numbers.
func byNumber(v sim.View, into []int) []int {
	into = append(into[:0], v.ActiveJobs()...)
	slices.SortFunc(into, func(a, b int) int { return cmp.Compare(v.Job(a).ID(), v.Job(b).ID()) })
	return into
}

// copyParts returns a copy of what the plan gives a job.
func copyParts(plan *sim.Plan, j int, into []sim.Part) []sim.Part {
	into = into[:0]
	for _, part := range plan.Parts(j) {
		if part.N > 0 {
			into = append(into, part)
		}
	}
	return into
}

// firstHeld returns a pool of which the plan gives a job anything, -1 if it gives it nothing.
func firstHeld(plan *sim.Plan, j int) int {
	for _, part := range plan.Parts(j) {
		if part.N > 0 {
			return int(part.Pool)
		}
	}
	return none
}

// holdsPart reports whether a job that is to have GPUs has some of them, but not all: those under notice train until
// they go.
func holdsPart(v sim.View, plan *sim.Plan, j int) bool {
	if v.Job(j).Waiting() == 0 {
		return false
	}
	active := 0
	all := 0
	for _, part := range plan.Parts(j) {
		held := v.Held(j, int(part.Pool))
		active += held.Active()
		all += held.Active() + held.Noticed
	}
	return active > 0 && all < gang(v, j).Gang()
}

// hasFailed reports whether a server of which the plan gives a job GPUs is down.
func hasFailed(v sim.View, plan *sim.Plan, j int) bool {
	isDown := func(part sim.Part) bool { return part.N > 0 && v.Down(int(part.Pool)) }
	return v.Job(j).Waiting() > 0 && slices.ContainsFunc(plan.Parts(j), isDown)
}

// zeros is n numbers of 0, in the memory of a list.
func zeros(list []int, n int) []int {
	list = policyutil.Resize(list, n)
	clear(list)
	return list
}

// none stands for no job or place.
const none = -1

// fullAgain is how long a pool is not asked in which requests were not granted.
const fullAgain = 5 * time.Minute

// say puts into words, where a recorder listens, why the jobs wait that have no GPUs by the plan: why is asked of
// each, with how many that were submitted before it wait as well. Words that stay the same are recorded once.
func say(v sim.View, plan *sim.Plan, reason string, why func(j, gpus, ahead int) string) {
	plan.SetReason(reason)
	ahead := 0
	for _, j := range v.ActiveJobs() {
		if plan.Held(j) > 0 {
			continue
		}
		plan.AddCandidate(sim.Candidate{
			Name:  v.Job(j).Name(),
			Score: float64(ahead),
			Unit:  "jobs waiting ahead of it",
			Note:  why(j, gang(v, j).Gang(), ahead),
		})
		ahead++
	}
}

// sayFirst says why jobs wait that others go before.
func sayFirst(v sim.View, plan *sim.Plan, who string) {
	say(v, plan, "GPUs go to "+who+" first", func(_, gpus, _ int) string {
		return fmt.Sprintf("%s go first, and leave fewer than the %d GPUs that it needs", who, gpus)
	})
}
