package report

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/marigram/marigram/experiments/results"
)

// ErrNoTimelines means that a set has summaries only.
var ErrNoTimelines = errors.New("report: no run has a timeline")

// Trace writes the runs of a set that have timelines as a trace that Perfetto and
// chrome://tracing open (Trace Event Format, JSON object form). A run is a
// process. It has a track for the job's activity, one for the decisions, and one
// for each instance; prices and progress are counters. Times are microseconds
// from the start of the run.
func Trace(w io.Writer, set *results.Set) error {
	runs := runsOf(set)
	if len(runs) == 0 {
		return ErrNoTimelines
	}
	trace := tracer{w: bufio.NewWriter(w)}
	fmt.Fprintf(trace.w, `{"displayTimeUnit":"ms","otherData":{"tool":%s,"spec":%s},"traceEvents":[`,
		jsonText("marigram "+set.Provenance.Version), jsonText(set.Provenance.SpecName))
	for i := range runs {
		trace.pid = i + 1
		trace.run(&runs[i])
	}
	trace.w.WriteString("\n]}\n")
	return errors.Join(trace.err, trace.w.Flush())
}

// event is one trace event; what a phase does not have is left out.
type event struct {
	Phase string         `json:"ph"`
	Name  string         `json:"name"`
	Cat   string         `json:"cat,omitempty"`
	PID   int            `json:"pid"`
	TID   int            `json:"tid"`
	At    *int64         `json:"ts,omitempty"`
	Dur   *int64         `json:"dur,omitempty"`
	Scope string         `json:"s,omitempty"`
	Args  map[string]any `json:"args,omitempty"`
}

// The tracks of a run; those of its instances follow.
const (
	trackJob = 1 + iota
	trackDecisions
	trackInstances
)

type tracer struct {
	w   *bufio.Writer
	pid int
	any bool
	err error
}

func (t *tracer) put(e event) {
	e.PID = t.pid
	line, err := json.Marshal(e)
	t.err = errors.Join(t.err, err)
	if t.any {
		t.w.WriteByte(',')
	}
	t.any = true
	t.w.WriteByte('\n')
	t.w.Write(line)
}

func (t *tracer) run(r *run) {
	name := fmt.Sprintf("run %d: %s", r.Run, r.name())
	t.put(event{Phase: "M", Name: "process_name", Args: map[string]any{"name": name}})
	t.put(event{Phase: "M", Name: "process_sort_index", Args: map[string]any{"sort_index": t.pid}})
	t.track(trackJob, "job")
	t.track(trackDecisions, "decisions of "+r.Policy)
	for i, instance := range r.Instances {
		t.track(trackInstances+i, fmt.Sprintf("%s %d (%s)", instance.Pool, instance.Number, instance.Market))
	}
	t.job(r)
	t.decisions(r)
	for i := range r.Instances {
		t.instance(trackInstances+i, &r.Instances[i])
	}
	t.counters(r)
}

func (t *tracer) track(tid int, name string) {
	t.put(event{Phase: "M", Name: "thread_name", TID: tid, Args: map[string]any{"name": name}})
	t.put(event{Phase: "M", Name: "thread_sort_index", TID: tid, Args: map[string]any{"sort_index": tid}})
}

// slice is a complete event; one without length is left out.
func (t *tracer) slice(tid int, name, cat string, from, to float64, args map[string]any) {
	at := micros(from)
	dur := micros(to) - at
	if dur > 0 {
		t.put(event{Phase: "X", Name: name, Cat: cat, TID: tid, At: &at, Dur: &dur, Args: args})
	}
}

func (t *tracer) instant(tid int, name, cat string, s float64, args map[string]any) {
	at := micros(s)
	t.put(event{Phase: "i", Name: name, Cat: cat, TID: tid, At: &at, Scope: "t", Args: args})
}

// job says what the job does, stretches of one activity in one layout joined.
func (t *tracer) job(r *run) {
	for from := 0; from < len(r.job); {
		to := from
		for to < len(r.job) && r.job[to].Activity == r.job[from].Activity && r.job[to].Layout == r.job[from].Layout {
			to++
		}
		last := &r.job[to-1]
		args := map[string]any{"progress at its end": last.Progress, "USD at its end": last.CostUSD}
		if last.Layout != "" {
			args["layout"] = last.Layout
		}
		t.slice(trackJob, last.Activity, "job", r.job[from].StartS, last.EndS, args)
		from = to
	}
}

func (t *tracer) decisions(r *run) {
	for i := range r.Decisions {
		made := &r.Decisions[i]
		t.instant(trackDecisions, made.Trigger, "decision", made.AtS, map[string]any{
			"decision": made.Number, "reason": made.Reason, "state": made.State, "plan": made.Plan,
			"changed the plan": made.Changed,
		})
	}
}

// instance says what became of an instance: a notice ends starting or ready.
func (t *tracer) instance(tid int, x *results.Instance) {
	args := map[string]any{"pool": x.Pool, "type": x.InstanceType, "end": x.End}
	noticed := x.EndS
	if x.NoticedS != nil {
		noticed = *x.NoticedS
	}
	ready := noticed
	if x.ReadyS != nil {
		ready = min(*x.ReadyS, noticed)
	}
	t.slice(tid, "starting", "instance", x.GrantedS, ready, args)
	t.slice(tid, "ready", "instance", ready, noticed, args)
	t.slice(tid, "noticed", "instance", noticed, x.EndS, args)
	if x.End == results.Revoked {
		t.instant(tid, "revoked", "instance", x.EndS, args)
	}
}

// counters say prices where they change, and progress where a stretch ends.
func (t *tracer) counters(r *run) {
	price := map[string]float64{}
	for _, row := range r.Spans {
		before, has := price[row.Pool]
		if !has || before != row.PriceUSDPerH {
			price[row.Pool] = row.PriceUSDPerH
			t.counter("price of "+row.Pool, row.StartS, "USD/h", row.PriceUSDPerH)
		}
	}
	t.counter("progress", r.job[0].StartS, "%", 0)
	for i := range r.job {
		t.counter("progress", r.job[i].EndS, "%", 100*r.job[i].Progress)
	}
}

func (t *tracer) counter(name string, s float64, unit string, value float64) {
	at := micros(s)
	t.put(event{Phase: "C", Name: name, At: &at, Args: map[string]any{unit: value}})
}

func micros(s float64) int64 { return int64(math.Round(s * 1e6)) }

// jsonText is a string as JSON.
func jsonText(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // strings always have a JSON form
	}
	return string(text)
}
