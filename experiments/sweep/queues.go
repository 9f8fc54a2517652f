package sweep

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/experiments/results"
)

// QueueChange is how much longer the jobs of a queue wait in one study than in another: the same jobs, one by one.
// Times are in seconds without GPUs, to the end of the run for jobs that were not done.
type QueueChange struct {
	Policy   string              `json:"policy"`
	Queue    string              `json:"queue"` // of the study before; empty: all
	Jobs     int                 `json:"jobs"`
	BeforeS  float64             `json:"before_s"`
	AfterS   float64             `json:"after_s"`
	ChangeS  float64             `json:"change_s"`  // mean of after less before
	ChangeCI *intervals.Interval `json:"change_95"` // of that mean; nil: there is one unit
	Shorter  float64             `json:"shorter"`   // share of the jobs that wait less
	Longer   float64             `json:"longer"`    // more
	BatchS   float64             `json:"batch_s"`   // length of a batch; 0: seeds are units
	NotDone  int                 `json:"not_done"`  // jobs that were not done in either study
	Unit     string              `json:"unit"`      // of intervals: seed, or batch
}

// queueBatches is into how many batches the jobs of one recorded list are divided, by equal times of submission: the
// method of batch means (Law and Kelton, Simulation Modeling and Analysis, section on steady state), which needs
// batches much longer than a wait.
const queueBatches = 10

// minUnits is how many seeds are units of their own; with fewer, batches are.
const minUnits = 5

// jobPair is a job in both studies.
type jobPair struct{ before, after *results.Job }

// CompareQueues compares the waits of the jobs of each queue in two studies with the same policies, seeds and jobs. The
// errors are policies, seeds or jobs that only one of them has.
func CompareQueues(before, after *results.Set) (changes []QueueChange, warnings []string, err error) {
	runs := after.Runs()
	byPolicy := map[string][]pairedRun{}
	var policies []string
	for _, run := range before.Runs() {
		if len(run.Jobs) == 0 {
			continue // its jobs were not kept
		}
		at := slices.IndexFunc(runs, func(other results.Run) bool {
			return len(other.Jobs) > 0 && isSameRun(&other, &run)
		})
		if at < 0 {
			return nil, nil, fmt.Errorf("%s, seed %d: the jobs of this run are not in the other study, "+
				"expected the same policies and seeds", run.Policy, run.Seed)
		}
		pairs, err := pairJobs(&run, &runs[at])
		if err != nil {
			return nil, nil, err
		}
		if byPolicy[run.Policy] == nil {
			policies = append(policies, run.Policy)
		}
		byPolicy[run.Policy] = append(byPolicy[run.Policy], pairedRun{run.Seed, pairs})
	}
	if len(policies) == 0 {
		return nil, nil, errors.New("there are no jobs in the study, " +
			"expected runs of many jobs with timelines (timelines: 1)")
	}
	moved := 0
	for _, policy := range policies {
		of, others := changesOf(policy, byPolicy[policy])
		changes = append(changes, of...)
		moved += others
	}
	for i := range changes {
		c := &changes[i]
		if wait := max(c.BeforeS, c.AfterS); c.Queue != "" && c.BatchS > 0 && wait > c.BatchS {
			warnings = append(warnings, fmt.Sprintf("%s, %s: jobs wait longer (%.0f h) than a batch is (%.0f h): "+
				"batches are not independent, and the interval is too narrow",
				c.Policy, c.Queue, wait/3600, c.BatchS/3600))
		}
	}
	if moved > 0 {
		warnings = append(warnings, fmt.Sprintf("%d jobs are in another queue in the second study: "+
			"they count in that of the first", moved))
	}
	return changes, warnings, nil
}

// isSameRun reports whether two runs of different studies are of the same case.
func isSameRun(a, b *results.Run) bool {
	return a.Policy == b.Policy && a.Seed == b.Seed && a.StartS == b.StartS && a.Objective == b.Objective
}

// pairedRun is a run in both studies.
type pairedRun struct {
	seed   int64
	paired []jobPair
}

// pairJobs pairs the jobs of a run with those of another by their names.
func pairJobs(before, after *results.Run) ([]jobPair, error) {
	others := make(map[string]*results.Job, len(after.Jobs))
	for i := range after.Jobs {
		others[after.Jobs[i].ID] = &after.Jobs[i]
	}
	var pairs []jobPair
	for i := range before.Jobs {
		x := &before.Jobs[i]
		y := others[x.ID]
		if y == nil || y.SubmitS != x.SubmitS || y.GPUs != x.GPUs {
			return nil, fmt.Errorf("%s, seed %d: job %s is not in the other study, or another there: "+
				"expected two studies of the same jobs", before.Policy, before.Seed, x.ID)
		}
		if x.QueueS != nil && y.QueueS != nil {
			pairs = append(pairs, jobPair{x, y})
		}
	}
	if len(after.Jobs) != len(before.Jobs) {
		return nil, fmt.Errorf("%s, seed %d: %d jobs, and %d in the other study: expected the same",
			before.Policy, before.Seed, len(before.Jobs), len(after.Jobs))
	}
	return pairs, nil
}

// changesOf compares the queues of a policy, and counts jobs that are in another queue after. Where every seed draws
// jobs of its own, seeds are the units of intervals; where all have the same list, batches of it are.
func changesOf(policy string, runs []pairedRun) (changes []QueueChange, moved int) {
	drawn := len(runs) > 1 && !slices.EqualFunc(runs[0].paired, runs[1].paired, func(x, y jobPair) bool {
		return x.before.SubmitS == y.before.SubmitS && x.before.GPUs == y.before.GPUs
	})
	bySeed := drawn && len(runs) >= minUnits
	names := map[string]bool{}
	for _, run := range runs {
		for _, pair := range run.paired {
			names[pair.before.VC] = true
			if pair.before.VC != pair.after.VC {
				moved++
			}
		}
	}
	queues := slices.Sorted(maps.Keys(names))
	if len(queues) > 1 {
		queues = append(queues, "")
	}
	for _, queue := range queues {
		changes = append(changes, changeOf(policy, queue, len(queues) == 1, runs, drawn, bySeed))
	}
	return changes, moved
}

// changeOf compares one queue, or all.
func changeOf(policy, queue string, only bool, runs []pairedRun, drawn, bySeed bool) QueueChange {
	c := QueueChange{Policy: policy, Queue: queue, Unit: "batch"}
	if bySeed {
		c.Unit = "seed"
	}
	var differences intervals.Tally
	for _, run := range runs {
		last := 0.0
		for _, pair := range run.paired {
			last = max(last, pair.before.SubmitS)
		}
		if !bySeed {
			c.BatchS = max(c.BatchS, last/queueBatches)
		}
		for _, pair := range run.paired {
			if pair.before.VC != queue && (queue != "" || only) {
				continue
			}
			unit := intervals.Unit{}
			if drawn {
				unit.Seed = run.seed
			}
			if !bySeed {
				unit.Cell = min(queueBatches-1, int(queueBatches*pair.before.SubmitS/max(last, 1)))
			}
			x := *pair.before.QueueS
			y := *pair.after.QueueS
			differences.Add(unit, y-x)
			c.add(x, y, pair.before.FinishS == nil || pair.after.FinishS == nil)
		}
	}
	n := float64(c.Jobs)
	c.BeforeS /= n
	c.AfterS /= n
	c.ChangeS = differences.Mean()
	c.ChangeCI = differences.MeanInterval()
	c.Shorter /= n
	c.Longer /= n
	return c
}

// add adds a job that waits x before and y after.
func (c *QueueChange) add(x, y float64, notDone bool) {
	c.Jobs++
	c.BeforeS += x
	c.AfterS += y
	if y < x {
		c.Shorter++
	}
	if y > x {
		c.Longer++
	}
	if notDone {
		c.NotDone++
	}
}
