package experiments

import (
	"reflect"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments/results"
)

const packedSpec = `name: packed
market:
  servers: [{gpu: v100, gpus: 4, count: 2, usd_per_gpu_h: 2}, {gpu: k80, gpus: 4, count: 2, usd_per_gpu_h: 0.5}]
model: {gang: {speeds: gavel, PAIRSrestart_s: 30}}
jobs: {gavel: {jobs: 40, mean_gap_s: 300, several_gpus: true}, drop_too_large: true, longest_s: 90000}
policies: [{name: gavel}MORE]
`

// packed is the spec with pairs and some policies beside gavel, or without.
func packed(pairs, more string) string {
	return strings.NewReplacer("PAIRS", pairs, "MORE", more).Replace(packedSpec)
}

// Two jobs at most are on a GPU at one time, gangs are whole and on the very GPUs of each other, dollars add up, and the other policies
// do what they do without pairs.
func TestJobsOnTheSameGPUs(t *testing.T) {
	plain := runCluster(t, packed("", ""), "")
	set := runCluster(t, packed("pairs: gavel, ", ", {name: gavel-packed}, {name: gavel-fifo-packed}, {name: gandiva}"), "")
	if x, y := plain.Summaries[0], set.Summaries[0]; *x.JCTMeanS != *y.JCTMeanS || x.CostUSD != y.CostUSD || x.JobMoves != y.JobMoves ||
		*x.Utilisation != *y.Utilisation {
		t.Errorf("gavel: %v s, %v USD; beside policies with pairs %v s, %v USD", *x.JCTMeanS, x.CostUSD, *y.JCTMeanS, y.CostUSD)
	}
	jobs := map[[2]int64]results.Job{}
	usd := map[int64]float64{}
	for _, j := range set.Jobs {
		jobs[[2]int64{j.Run, j.Number}] = j
		usd[j.Run] += j.CostUSD
	}
	for _, s := range set.Summaries[1:] {
		var tasks []results.Task
		for _, x := range set.Tasks {
			if x.Run == s.Run && x.EndS > x.StartS {
				tasks = append(tasks, x)
			}
		}
		if shared := checkTasks(t, s.Run, tasks, jobs); !shared {
			t.Errorf("%s: no GPU is shared", s.Policy)
		}
		if s.JobsDone != s.Jobs || s.Utilisation == nil || !(*s.Utilisation > 0 && *s.Utilisation <= 1) {
			t.Errorf("%s: %d of %d jobs done, utilisation %v", s.Policy, s.JobsDone, s.Jobs, s.Utilisation)
		}
		if d := usd[s.Run] - s.CostUSD; d > 1e-6 || d < -1e-6 {
			t.Errorf("%s: the jobs cost %v USD, the run %v", s.Policy, usd[s.Run], s.CostUSD)
		}
	}
}

// checkTasks checks the tasks of a run, and reports whether two jobs have been on the same GPUs.
func checkTasks(t *testing.T, run int64, tasks []results.Task, jobs map[[2]int64]results.Job) (shared bool) {
	for i, x := range tasks {
		others, of := map[int64]bool{}, 0
		for k, y := range tasks {
			if during := y.StartS <= x.StartS && x.StartS < y.EndS; during && y.Job == x.Job {
				of++
			} else if during && y.Pool == x.Pool && y.Instance == x.Instance && k != i {
				others[y.Job] = true
			}
		}
		if n := int(jobs[[2]int64{run, x.Job}].GPUs); of != n || len(others) > 1 {
			t.Fatalf("run %d: at %v s job %d of %d GPUs has %d, and %d other jobs are on %s #%d", run, x.StartS, x.Job, n, of, len(others), x.Pool, x.Instance)
		}
		for j := range others {
			shared = true
			if a, b := jobs[[2]int64{run, x.Job}], jobs[[2]int64{run, j}]; a.GPUs != b.GPUs {
				t.Fatalf("run %d: jobs of %d and %d GPUs share some", run, a.GPUs, b.GPUs)
			}
		}
	}
	return shared
}

// A second run has the same rows.
func TestJobsOnTheSameGPUsAgain(t *testing.T) {
	text := packed("pairs: gavel, ", ", {name: gavel-packed}")
	a, b := runCluster(t, text, ""), runCluster(t, text, "")
	if !reflect.DeepEqual(a.Jobs, b.Jobs) || !reflect.DeepEqual(a.Tasks, b.Tasks) {
		t.Error("a second run differs")
	}
}

// What is missing or contradicts itself is said.
func TestPairsThatAreWrong(t *testing.T) {
	for text, want := range map[string]string{
		packed("", ", {name: gavel-packed}"): "policy gavel-packed puts two jobs on the same GPUs, " +
			"but it is not said how fast they are then: expected model.gang.pairs",
		strings.Replace(packed("pairs: gavel, ", ""), "speeds: gavel, ", "", 1): `"gavel", expected only with speeds`,
		packed("pairs: nothing, ", ""):                                          "expected a file, or gavel",
		strings.Replace(sharedSpec, "{name: eva}", "{name: gandiva}", 1): "policy gandiva gives out GPUs, each to one job or to " +
			"two, but market.instances are rented whole",
		strings.Replace(sharedSpec, "gang: {", "gang: {speeds: gavel, pairs: gavel, ", 1): "expected pairs or tasks, not both",
	} {
		if _, err := openCluster(t, text, ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %q", err, want)
		}
	}
}
