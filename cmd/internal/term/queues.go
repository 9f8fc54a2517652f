package term

import (
	"fmt"
	"io"
	"math"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/table"
)

// Queues prints what the jobs of each queue had in the first run of each policy.
func Queues(w io.Writer, runs []results.Run) {
	shown := table.New("policy", "queue|left", "jobs", "done", "queue h|hours", "p50|hours", "p95|hours", "admissions",
		"suspended", "GPU-h|%.1f", "borrowed GPU-h|%.1f", "fairness|%.2f")
	for i := range runs {
		for _, q := range runs[i].Queues() {
			fairness := &q.Fairness
			if math.IsNaN(q.Fairness) { // of no server, or of no job that is done
				fairness = nil
			}
			shown.Row(q.Policy, q.Name, q.Jobs, q.Done, q.WaitMeanS, q.WaitP50S, q.WaitP95S, q.Admissions, q.Stopped,
				q.GPUH, q.BorrowedH, fairness)
		}
	}
	fmt.Fprintln(w)
	Print(w, shown)
	fmt.Fprintln(w, "\nby queue, of the first run of a policy; queue: time without GPUs; "+
		"borrowed: beyond the nominal quota")
}
