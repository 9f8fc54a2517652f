package policyutil

import (
	"fmt"
	"strings"

	"github.com/marigram/marigram/sim"
)

// ExplainChoice tells a recorder which of the candidates was chosen: the cluster of
// n instances by pool.
func ExplainChoice(v sim.View, counts []int, plan *sim.Plan) {
	if plan.Recorded() {
		plan.Choose(ClusterName(v, counts))
	}
}

// ClusterName returns the name of a cluster for people: "2 zone-a/p3, 1 zone-b/p3".
func ClusterName(v sim.View, counts []int) string {
	var out []string
	for p, n := range counts {
		if n > 0 {
			out = append(out, fmt.Sprintf("%d %s", n, v.Pool(p).Name))
		}
	}
	if out == nil {
		return "nothing"
	}
	return strings.Join(out, ", ")
}

// ExplainChange tells a recorder of the present layout and of one that may replace
// it.
func ExplainChange(v sim.View, j, pipelines, stages int, taken bool, note string, plan *sim.Plan) {
	present := &plan.Jobs[j]
	plan.AddInput("instances ready", float64(v.Job(j).Layout().Total()), "")
	ExplainLayout(v, j, "stay with", present.Pipelines, present.Stages, !taken, "", plan)
	ExplainLayout(v, j, "change to", pipelines, stages, taken, note, plan)
}

// ExplainLayout tells a recorder how fast job j would train on its ready instances
// in n pipelines of m stages, by its model; 0 where they are too few.
func ExplainLayout(v sim.View, j int, name string, pipelines, stages int, taken bool, note string, plan *sim.Plan) {
	if !plan.Recorded() {
		return
	}
	job := v.Job(j)
	layout := *job.Layout()
	if pipelines != int(layout.Pipelines) || stages != int(layout.Stages) {
		layout.Holes = 0
	}
	layout.Pipelines = int32(pipelines)
	layout.Stages = int32(stages)
	speed := 0.0
	if stages > 0 {
		speed = job.Model().Rate(&layout).Samples
	}
	plan.AddCandidate(sim.Candidate{
		Name:   fmt.Sprintf("%s %d x %d", name, pipelines, stages),
		Score:  speed,
		Unit:   "samples/s",
		Note:   note,
		Chosen: taken,
	})
}

const tooLate = "no cluster meets the deadline: the fastest"

// Reason is why a cluster was chosen: as it says, or because none meets the deadline.
func Reason(feasible bool, why string) string {
	if feasible {
		return why
	}
	return tooLate
}
