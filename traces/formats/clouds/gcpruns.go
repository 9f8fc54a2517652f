package clouds

import (
	"bufio"
	"strings"

	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/ownruns"
)

// operationRecords are the operations on a run's machines.
var operationRecords = formats.Records{
	Command: "gcloud compute operations list --format=json > operations.json",
	From:    "the vendor's documentation; tried on samples made after it only",
	Lost:    "when machines were ready, warnings, instance types, finer parts of time than a millisecond",
	Keep:    keepOperations, Write: writeOperations,
}

// googleKinds are the operations by the kind that they are.
var googleKinds = map[ownruns.Kind]string{
	ownruns.Launched: "insert", ownruns.Preempted: "compute.instances.preempted", ownruns.Released: "delete",
	ownruns.Failed: "compute.instances.hostError",
}

func keepOperations(r *ownruns.Run) (out []ownruns.Event) {
	for _, e := range r.Events {
		if googleKinds[e.Kind] != "" && e.Zone != "" && !strings.Contains(e.Zone+e.Instance, "/") {
			out = append(out, ownruns.MachineEvent(formats.Millis(e.T), e.Kind, e.Instance, e.Zone))
		}
	}
	return out
}

func writeOperations(w *bufio.Writer, r *ownruns.Run) {
	w.WriteString("[")
	for i, e := range keepOperations(r) {
		if i > 0 {
			w.WriteString(",")
		}
		const zones = "https://www.googleapis.com/compute/v1/projects/p/zones/"
		formats.WriteJSON(w, map[string]string{
			"operationType": googleKinds[e.Kind],
			"insertTime":    formats.Calendar(e.T, "2006-01-02T15:04:05.000Z"),
			"status":        "DONE",
			"targetLink":    zones + e.Zone + "/instances/" + e.Instance,
		})
	}
	w.WriteString("]\n")
}
