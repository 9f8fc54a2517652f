package sweep

import (
	"fmt"
	"strconv"
	"strings"
)

// Shard is a share of the chunks: those whose number is I modulo N. How many
// shards there are may change from one process to the next.
type Shard struct{ I, N int }

// Whole is all chunks.
var Whole = Shard{0, 1}

// owns reports whether a chunk is the shard's.
func (s Shard) owns(chunk int) bool { return chunk%s.N == s.I }

// indices are the variables in which schedulers tell a task its number, and the
// number of the first task. N is never taken from them: of an array of which only
// some tasks are submitted again, they count those.
var indices = []struct {
	name  string
	first int
}{
	{"SLURM_ARRAY_TASK_ID", 0}, {"JOB_COMPLETION_INDEX", 0}, {"PBS_ARRAY_INDEX", 0}, {"AWS_BATCH_JOB_ARRAY_INDEX", 0},
	{"SGE_TASK_ID", 1}, {"LSB_JOBINDEX", 1}, // which cannot be 0
}

// ParseShard reads "I/N", 0 <= I < N, or "auto/N", where getenv tells I: the
// variables of Slurm, Kubernetes, PBS, AWS Batch, SGE and LSF are tried in turn.
func ParseShard(text string, getenv func(string) string) (Shard, error) {
	index, count, ok := strings.Cut(text, "/")
	n, err := strconv.Atoi(count)
	if !ok || err != nil || n < 1 {
		return Shard{}, fmt.Errorf("%q, expected I/N or auto/N with N at least 1", text)
	}
	from, first := index, 0
	if index == "auto" {
		if from, index, first = variable(getenv); index == "" {
			return Shard{}, fmt.Errorf("%q: no scheduler variable gives the task number, expected I/N", text)
		}
	}
	i, err := strconv.Atoi(index)
	if err != nil || i < first || i-first >= n {
		return Shard{}, fmt.Errorf("%q: %s is not a number from %d to %d", text, from, first, n-1+first)
	}
	return Shard{i - first, n}, nil
}

func variable(getenv func(string) string) (name, value string, first int) {
	for _, x := range indices {
		if v := getenv(x.name); v != "" && v != "undefined" { // SGE's word for a job that is no array
			return x.name + "=" + v, v, x.first
		}
	}
	return "", "", 0
}
