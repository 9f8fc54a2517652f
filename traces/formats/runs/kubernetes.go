package runs

import (
	"bufio"
	"strings"

	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
	"github.com/marigram/marigram/traces/ownruns"
)

func init() {
	formats.Register(formats.Format{
		Name: "kubernetes-events",
		Kind: formats.Run,
		What: "events of Kubernetes, a list of `kubectl get events -o json`, or one a line as collectors write them: " +
			"nodes that came and went, warnings and disruptions of Karpenter, jobs that ended; others are counted. A " +
			"cluster keeps events for an hour by default: the export of a collector is the better source",
		Example: `{"kind": "Event", "reason": "NodeReady", "involvedObject": {"kind": "Node", "name": "a"}, ` +
			`"lastTimestamp": "2026-01-02T00:00:00Z"}`,
		Recognise: func(s *read.Source) bool { return isKubernetes(firstObject(s, "items")) },
		Records: &formats.Records{
			Command: "kubectl get events -A -o json > events.json",
			From:    fromMemory,
			Lost: "zones and instance types, when the run began, who ended a node that was removed, steps, " +
				"parts of seconds",
			Read:  readKubernetes,
			Keep:  keepKubernetes,
			Write: writeKubernetes,
		},
	})
}

// isKubernetes reports whether a record is an event of Kubernetes, or one that a collector
// keeps as it was told: {"type": "ADDED", "object": {...}}.
func isKubernetes(r *read.Row) bool {
	if r == nil {
		return false
	}
	unwrap(r)
	return r.Has("reason") && (r.Has("involvedObject.name") || r.Has("regarding.name"))
}

// unwrap takes the fields of the key object for the record's own.
func unwrap(r *read.Row) {
	if r.Has("reason") {
		return
	}
	for i, name := range r.Names {
		r.Names[i] = strings.TrimPrefix(name, "object.")
	}
}

// kubernetesKinds are the reasons of events, of nodes and of their claims and of jobs.
var kubernetesKinds = map[string]ownruns.Kind{
	"Launched":                    ownruns.Launched, // Karpenter
	"Initialized":                 ownruns.Ready,
	"NodeReady":                   ownruns.Ready, // kubelet
	"SpotInterrupted":             ownruns.Notice,
	"SpotInterruption":            ownruns.Notice,
	"SpotRebalanceRecommendation": ownruns.Rebalance,
	"DisruptionTerminating":       ownruns.Released,
	"DisruptionLaunching":         ownruns.Requested,
	"InstanceTerminating":         ownruns.Terminated,
	"TerminatingOnInterruption":   ownruns.Preempted,
	"RemovingNode":                ownruns.Terminated, // node controller
	"DeletingNode":                ownruns.Terminated,
	"PreemptScheduled":            ownruns.Notice, // node problem detector
	"Completed":                   ownruns.End,    // of a Job
	"BackoffLimitExceeded":        ownruns.Aborted,
	"DeadlineExceeded":            ownruns.Aborted,
}

// fitsObject reports whether a kind may be of an object: machines are nodes, runs are jobs.
func fitsObject(kind ownruns.Kind, object string) bool {
	switch object {
	case "Node", "NodeClaim", "Machine":
		return kind.OfMachine() || kind == ownruns.Requested
	case "Job", "":
		return kind == ownruns.End || kind == ownruns.Aborted
	}
	return false
}

func readKubernetes(in *formats.RunFile) error {
	others := 0
	skip := func(path string) bool {
		return path == "metadata.managedFields" || path == "metadata.annotations" || path == "metadata.labels"
	}
	for r := range objects(in.Source, []string{"items"}, skip) {
		if r.Err != nil {
			return r.Err
		}
		unwrap(r)
		object := r.Text(r.First("involvedObject.kind", "regarding.kind"))
		kind := kubernetesKinds[r.Text("reason")]
		if kind == ownruns.None || !fitsObject(kind, object) {
			others++
			continue
		}
		name := r.MaybeName(r.First("involvedObject.name", "regarding.name"))
		times := []string{"lastTimestamp", "eventTime", "deprecatedLastTimestamp", "metadata.creationTimestamp"}
		at := instantIn(in, r, r.First(times...))
		if r.Err != nil {
			return r.Err
		}
		e := eventAt(r, at, kind)
		if object != "Job" {
			e.Instance = name
		} else if !in.Wanted(name) {
			continue
		}
		in.Add(e)
	}
	if others > 0 {
		in.Note("%d events of other reasons were left out", others)
	}
	return nil
}

// writtenReasons are what an exported run has.
var writtenReasons = map[ownruns.Kind]string{
	ownruns.Launched:   "Launched",
	ownruns.Ready:      "NodeReady",
	ownruns.Notice:     "SpotInterrupted",
	ownruns.Rebalance:  "SpotRebalanceRecommendation",
	ownruns.Released:   "DisruptionTerminating",
	ownruns.Terminated: "RemovingNode",
	ownruns.Preempted:  "TerminatingOnInterruption",
	ownruns.End:        "Completed",
	ownruns.Aborted:    "BackoffLimitExceeded",
}

func keepKubernetes(r *ownruns.Run) (out []ownruns.Event) {
	for _, e := range r.Events {
		if e.Kind == ownruns.Failed {
			e.Kind = ownruns.Terminated
		}
		if writtenReasons[e.Kind] != "" {
			out = append(out, ownruns.MachineEvent(formats.WholeSeconds(e.T), e.Kind, e.Instance, ""))
			if !e.Kind.OfMachine() {
				out[len(out)-1].Instance = ""
			}
		}
	}
	return out
}

func writeKubernetes(w *bufio.Writer, r *ownruns.Run) {
	for _, e := range keepKubernetes(r) {
		object := map[string]string{"kind": "Node", "name": e.Instance}
		if e.Instance == "" {
			object = map[string]string{"kind": "Job", "name": "run", "namespace": "default"}
		}
		formats.WriteJSON(w, map[string]any{
			"apiVersion": "v1", "kind": "Event", "reason": writtenReasons[e.Kind], "involvedObject": object,
			"lastTimestamp": formats.Calendar(e.T, "2006-01-02T15:04:05Z"), "message": "", "type": "Normal",
		})
	}
}
