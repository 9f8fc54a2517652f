package schedulers

import (
	"fmt"

	"github.com/marigram/marigram/sim"
)

// say puts into words, where a recorder listens, why the jobs wait that have no GPUs by the plan: why is asked of each, with
// how many that were submitted before it wait as well. Words that stay the same are recorded once.
func say(v sim.View, plan *sim.Plan, reason string, why func(j, gpus, ahead int) string) {
	plan.SetReason(reason)
	ahead := 0
	for _, j := range v.ActiveJobs() {
		if plan.Held(j) > 0 {
			continue
		}
		plan.AddCandidate(sim.Candidate{Name: v.Job(j).Name(), Score: float64(ahead), Unit: "jobs waiting ahead of it", Note: why(j, gang(v, j).Gang(), ahead)})
		ahead++
	}
}

// say says why the jobs of the queue wait.
func (s *queueing) say(v sim.View, plan *sim.Plan, backfill bool, cloud, more string) {
	order := "first come, first served"
	if backfill {
		order = "the first job that fits what is free"
	}
	say(v, plan, order+cloud, func(j, gpus, ahead int) string {
		x := &s.gpus.parts[s.gpus.of[j]]
		switch {
		case !x.holds(s.gpus.quota, gpus, s.where):
			return fmt.Sprintf("no part of the cluster on which it runs could have %d GPUs as close together as they are to be, even if it were empty%s", gpus, more)
		case ahead > 0 && !backfill:
			return fmt.Sprintf("it needs %d GPUs, and none passes those ahead of it%s", gpus, more)
		case gpus > x.free && backfill:
			return fmt.Sprintf("it needs %d GPUs, and fewer are free: smaller jobs pass it%s", gpus, more)
		case gpus > x.free:
			return fmt.Sprintf("it is next and needs %d GPUs: %d are free%s", gpus, x.free, more)
		}
		return fmt.Sprintf("it needs %d GPUs on as few servers as they fill: as many are free, but not there%s", gpus, more)
	})
}

// sayFirst says why jobs wait that others go before.
func sayFirst(v sim.View, plan *sim.Plan, who string) {
	say(v, plan, "GPUs go to "+who+" first", func(_, gpus, _ int) string {
		return fmt.Sprintf("%s go first, and leave fewer than the %d GPUs that it needs", who, gpus)
	})
}

// say says why jobs wait in a round.
func (s *rounds) say(v sim.View, plan *sim.Plan) {
	say(v, plan, "GPUs go, round by round, to the jobs that have had least of their share of the time", func(j, gpus, _ int) string {
		for _, share := range s.jobs[j].x {
			if share > 0 {
				return fmt.Sprintf("others have had less of their share, and leave fewer than the %d GPUs that it needs", gpus)
			}
		}
		return "it has no share of the GPUs yet, and others that have one leave too few"
	})
}
