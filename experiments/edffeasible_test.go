package experiments

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/marigram/marigram/internal/testutil"
)

// dueJob is a job with a deadline, in seconds from the start.
type dueJob struct {
	gpus                   int
	submit, long, deadline float64
}

// lateByEDF returns how many jobs are late where servers go to the earliest deadline, preemptively, and a job that does
// not fit is passed over.
func lateByEDF(jobs []dueJob, gpus int) (late int) {
	left := make([]float64, len(jobs))
	for j := range jobs {
		left[j] = jobs[j].long
	}
	for now := 0.0; ; {
		var order []int
		next := -1.0
		for j := range jobs {
			switch {
			case left[j] <= 0:
			case jobs[j].submit <= now:
				order = append(order, j)
			case next < 0 || jobs[j].submit < next:
				next = jobs[j].submit
			}
		}
		if len(order) == 0 && next < 0 {
			return late
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(jobs[a].deadline, jobs[b].deadline) })
		free := gpus
		var run []int
		for _, j := range order {
			if jobs[j].gpus <= free {
				free -= jobs[j].gpus
				run = append(run, j)
			}
		}
		step := next - now
		for _, j := range run {
			if next < 0 && step <= 0 || left[j] < step {
				step = left[j]
			}
		}
		now += step
		for _, j := range run {
			if left[j] -= step; left[j] <= 1e-9 {
				left[j] = 0
				if now > jobs[j].deadline+1e-6 {
					late++
				}
			}
		}
	}
}

// Without a cloud to rent from, deadline-edf meets all deadlines of drawn jobs on servers that plain preemptive
// earliest deadline first meets, however little slack they have: its reserve is for renting.
func TestDeadlineEDFWithoutACloud(t *testing.T) {
	wanted := testutil.Size(40, 400)
	if testing.Short() {
		wanted = 10
	}
	first := *firstDrawn
	feasible, drawn, lateJobs := 0, 0, 0
	for ; feasible < wanted; drawn++ {
		seed := first + uint64(drawn)
		r := rand.New(rand.NewPCG(seed, 18))
		const gpus = 8
		var jobs []dueJob
		trace := "job_id,submit_s,gpus,duration_s,deadline_s\n"
		at := 0.0
		for j := range 3 + r.IntN(8) {
			long := float64(600 + r.IntN(7200))
			slack := float64(r.IntN(3000))
			if r.IntN(2) == 0 {
				slack = long * (0.2 + 2*r.Float64())
			}
			slack = float64(int(slack))
			x := dueJob{gpus: 1 + r.IntN(gpus), submit: at, long: long, deadline: at + long + slack}
			trace += fmt.Sprintf("job-%d,%v,%d,%v,%v\n", j, at, x.gpus, long, long+slack)
			jobs = append(jobs, x)
			at += float64(r.IntN(5400))
		}
		if lateByEDF(jobs, gpus) > 0 {
			continue
		}
		feasible++
		row := &runCluster(t, "name: edf\nmarket: {servers: [{gpu: V100, gpus: 8, count: 1}]}\njobs: {trace: jobs.csv}\npolicies: [{name: deadline-edf}]\n",
			trace).Summaries[0]
		if row.Punctual != row.Deadlines || row.Deadlines != int64(len(jobs)) {
			lateJobs++
			t.Errorf("seed %d: %d of %d deadlines are met, all by plain EDF\n%s", seed, row.Punctual, row.Deadlines, trace)
		}
	}
	t.Logf("%d cases that plain EDF meets of %d drawn, %d with late jobs", feasible, drawn, lateJobs)
}
