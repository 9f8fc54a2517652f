package formats

import (
	"bytes"
	"maps"
	"slices"

	"github.com/marigram/marigram/traces"
)

// gcpOperations reads what was done to machines, and by whom.
var gcpOperations = Format{
	Name: "gcp-operations",
	What: "operation records of Google Compute Engine: `gcloud compute operations list --format=json`, a page of operations.list, or an object of machines with their operations (goog-preemption-data). " +
		"A machine comes when its insert was asked for (insertTime) and goes when it was preempted (capacity), or stopped or deleted (user); machines are told apart by targetId, for names are used again. User and project are dropped",
	Example: `[{"operationType": "insert", "insertTime": "2019-03-25T12:22:36.614-07:00", "status": "DONE", "targetId": "75923", "targetLink": "https://www.googleapis.com/compute/v1/projects/p/zones/us-central1-c/instances/a"}]`,
	Version: 1,
	Recognise: func(s *source) bool {
		head := bytes.TrimSpace(s.head[:min(len(s.head), maxLine)])
		return len(head) > 0 && (head[0] == '[' || head[0] == '{') && bytes.Contains(head, []byte(`"operationType"`))
	},
	New: func(b *Builder) Importer { return &operationsReader{b, map[string]int64{}} },
}

// gcpKinds are the operations that begin or end a machine's life.
var gcpKinds = map[string]struct{ kind, reason string }{
	"insert":                             {traces.KindLaunch, traces.ReasonUnknown},
	"start":                              {traces.KindLaunch, traces.ReasonUnknown},
	"resume":                             {traces.KindLaunch, traces.ReasonUnknown},
	"compute.instances.automaticRestart": {traces.KindLaunch, traces.ReasonUnknown},
	"compute.instances.preempted":        {traces.KindPreempt, traces.ReasonCapacity},
	"stop":                               {traces.KindTerminate, traces.ReasonUser},
	"suspend":                            {traces.KindTerminate, traces.ReasonUser},
	"delete":                             {traces.KindTerminate, traces.ReasonUser},
	"compute.instances.guestTerminate":   {traces.KindTerminate, traces.ReasonUser},
	"compute.instances.hostError":        {traces.KindTerminate, "host_error"},
}

// gcpMachine is what the object of machines says of one.
type gcpMachine struct{ zone, machineType, preemptible string }

// gcpReader reads one file of operations.
type gcpReader struct {
	b    *operationsReader
	s    *source
	c    *cursor
	rest tally // operations left out, by type

	pending []pendingEvent
}

// operationsReader reads files of operations.
type operationsReader struct {
	*Builder
	ends map[string]int64 // by machine: when it last ended
}

func (b *operationsReader) Read(s *source) error {
	r := &gcpReader{b: b, s: s, c: newCursor(s), rest: tally{}}
	b.Manifest.ClockKind, b.Manifest.Semantics = traces.ClockUTC, traces.SemanticsLifetimes
	var err error
	switch {
	case r.c.ahead() == '[':
		err = r.list("the file")
	case s.topKey("items"):
		err = r.page()
	default:
		err = r.c.members("the file", traces.MaxMachines, r.machine)
	}
	if err == nil && !r.c.done() {
		err = r.c.errorf("more text follows, expected one list or object a file")
	}
	r.settle()
	for _, what := range slices.Sorted(maps.Keys(r.rest)) {
		b.Notef("%s: %d operations left out: %s", s.stem(), r.rest[what], what)
	}
	return err
}

// page reads {"items": [...], "nextPageToken": ...}.
func (r *gcpReader) page() error {
	return r.c.object("the page", func(key string) error {
		switch key {
		case "items":
			return r.list(key)
		case "nextPageToken":
			token, err := r.c.text(key, maxToken)
			if err != nil || token == "" {
				return err
			}
			return r.b.CutPage(r.c.errorf("nextPageToken %s is not empty: the page was cut; --allow-truncated accepts it", quote(token)))
		}
		r.b.Ignore(key)
		return r.c.skip(key)
	})
}

func (r *gcpReader) list(what string) error {
	return r.c.array(what, func() error {
		op, err := r.operation()
		if err != nil {
			return err
		}
		return r.add(&op, nil)
	})
}

// machine reads one machine of the object of machines: what it is, and its
// operations.
func (r *gcpReader) machine(name string) error {
	var m gcpMachine
	var ops []operation
	err := r.c.object("machine "+quote(name), func(key string) (err error) {
		switch {
		case key == "instance_data":
			m, err = r.instanceData()
		case r.c.ahead() == '{':
			var op operation
			op, err = r.operation()
			ops = append(ops, op)
		default:
			r.b.Ignore(key)
			err = r.c.skip(key)
		}
		return err
	})
	for i := range ops {
		if err == nil {
			err = r.add(&ops[i], &m)
		}
	}
	return err
}

func (r *gcpReader) instanceData() (m gcpMachine, err error) {
	fields := map[string]*string{"ZONE": &m.zone, "MACHINE_TYPE": &m.machineType, "PREEMPTIBLE": &m.preemptible}
	err = r.c.object("instance_data", func(key string) (err error) {
		into := fields[key]
		if into == nil {
			r.b.Ignore("instance_data." + key)
			return r.c.skip(key)
		}
		*into, err = r.c.text(key, traces.MaxName)
		if bad := checkName(*into); err == nil && *into != "" && bad != nil {
			err = r.c.errorf("%s %s, %v", key, quote(*into), bad)
		}
		return err
	})
	return m, err
}
