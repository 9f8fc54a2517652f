package runs

import (
	"bufio"
	"fmt"
	"slices"
	"strings"

	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/ownruns"
)

// lifeStates are the states of a life by how its nodes went.
var lifeStates = map[ownruns.Kind]string{
	ownruns.Preempted: "PREEMPTED", ownruns.Failed: "NODE_FAIL", ownruns.Terminated: "REQUEUED", ownruns.Released: "REQUEUED",
}

// keepLifetimes are the events of the lives that a run would have had under Slurm.
func keepLifetimes(r *ownruns.Run) []ownruns.Event { return lifeEvents(lifetimesOf(r)) }

// lifetimesOf cuts a run into lives: each begins when machines are ready and none trains, has the
// machines that are ready at that instant, and ends when the first of them goes.
func lifetimesOf(r *ownruns.Run) []life {
	held := slices.DeleteFunc(r.Holdings(), func(h ownruns.Holding) bool { return strings.ContainsAny(h.Instance+h.Zone, ",[]|\"") })
	finish, done := r.Finish()
	var out []life
	at := r.Zero
	for {
		start := int64(ownruns.Missing)
		for i := range held {
			if h := &held[i]; h.Gone > at && (start == ownruns.Missing || max(h.ReadyAt(), at) < start) {
				start = max(h.ReadyAt(), at)
			}
		}
		if start == ownruns.Missing || start >= finish {
			break
		}
		l := life{job: "1", submit: formats.WholeSeconds(r.Zero), start: formats.WholeSeconds(start), state: "COMPLETED"}
		end := finish
		for i := range held {
			h := &held[i]
			if h.ReadyAt() > start || h.Gone <= start {
				continue
			}
			l.nodes, l.partition = append(l.nodes, h.Instance), h.Zone
			if h.Gone < end {
				end, l.state = h.Gone, lifeStates[h.End]
			}
		}
		slices.Sort(l.nodes)
		l.nodes = slices.Compact(l.nodes)
		if l.end = formats.WholeSeconds(end); end == finish && !done {
			l.state = "FAILED"
		}
		if l.end > l.start && l.start > 0 {
			out = append(out, l)
		}
		at = end
	}
	if len(out) == 0 {
		return []life{{job: "1", submit: formats.WholeSeconds(r.Zero), state: "PENDING"}}
	}
	return out
}

func writeSacct(w *bufio.Writer, r *ownruns.Run) {
	w.WriteString("JobIDRaw|JobName|Partition|State|Submit|Start|End|ElapsedRaw|NNodes|NodeList|Restarts|Reason\n")
	const layout = "2006-01-02T15:04:05"
	for i, l := range lifetimesOf(r) {
		start, end, list := "Unknown", "Unknown", "None assigned"
		if l.start > 0 {
			start, end, list = formats.Calendar(l.start, layout), formats.Calendar(l.end, layout), strings.Join(l.nodes, ",")
		}
		fmt.Fprintf(w, "1|run|%s|%s|%s|%s|%s|%d|%d|%s|%d|None\n", l.partition, l.state, formats.Calendar(l.submit, layout), start, end,
			(l.end-l.start)/1e6, len(l.nodes), list, i)
	}
}

func writeSlurmJSON(w *bufio.Writer, r *ownruns.Run) {
	var jobs []any
	for i, l := range lifetimesOf(r) {
		jobs = append(jobs, map[string]any{"job_id": 1, "name": "run", "partition": l.partition, "state": map[string]any{"current": []string{l.state},
			"reason": "None"},
			"time":  map[string]int64{"submission": l.submit / 1e6, "start": l.start / 1e6, "end": l.end / 1e6, "elapsed": (l.end - l.start) / 1e6},
			"nodes": strings.Join(l.nodes, ","), "restart_cnt": i, "steps": []any{}})
	}
	formats.WriteJSON(w, map[string]any{"meta": map[string]any{}, "jobs": jobs, "errors": []any{}, "warnings": []any{}})
}
