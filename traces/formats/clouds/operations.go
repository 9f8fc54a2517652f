package clouds

import (
	"bytes"
	"maps"
	"slices"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

// operationsFormat reads what was done to machines, and by whom.
var operationsFormat = formats.Format{
	Name: "gcp-operations",
	What: "operation records of Google Compute Engine: `gcloud compute operations list --format=json`, a page " +
		"of operations.list, or an object of machines with their operations (goog-preemption-data). " +
		"A machine comes when its insert was asked for (insertTime) and goes when it was preempted (capacity), or " +
		"stopped or deleted (user); machines are told apart by targetId, for names are used again. User and " +
		"project are dropped",
	Example: `[{"operationType": "insert", "insertTime": "2019-03-25T12:22:36.614-07:00", ` +
		`"status": "DONE", "targetId": "75923", "targetLink": ` +
		`"https://www.googleapis.com/compute/v1/projects/p/zones/us-central1-c/instances/a"}]`,
	Version:   1,
	Clock:     traces.ClockUTC,
	Semantics: traces.SemanticsLifetimes,
	Recognise: func(s *read.Source) bool {
		head := bytes.TrimSpace(s.Head[:min(len(s.Head), read.MaxLine)])
		return len(head) > 0 && (head[0] == '[' || head[0] == '{') && bytes.Contains(head, []byte(`"operationType"`))
	},
	New:     func(b *formats.Builder) formats.Importer { return &operations{b, map[string]int64{}} },
	Records: &operationRecords,
}

func (b *operations) Read(s *read.Source) error {
	r := &reader{b: b, s: s, c: read.NewCursor(s), rest: formats.Tally{}}
	var err error
	switch {
	case r.c.Ahead() == '[':
		err = r.list("the file")
	case s.TopKey("items"):
		err = r.page()
	default:
		err = r.c.Members("the file", traces.MaxMachines, r.machine)
	}
	if err == nil && !r.c.Done() {
		err = r.c.Errorf("more text follows, expected one list or object a file")
	}
	r.settle()
	for _, what := range slices.Sorted(maps.Keys(r.rest)) {
		b.Notef("%s: %d operations left out: %s", s.Stem(), r.rest[what], what)
	}
	return err
}

// page reads {"items": [...], "nextPageToken": ...}.
func (r *reader) page() error {
	return r.c.Fields("the page", read.Fields{
		"items": r.list,
		"nextPageToken": func(key string) error {
			token, err := r.c.Text(key, read.MaxToken)
			if err != nil || token == "" {
				return err
			}
			return r.b.CutPage(r.c.Errorf("nextPageToken %s is not empty: "+
				"the page was cut; --allow-truncated accepts it", read.Quote(token)))
		},
	}, r.b.Ignore)
}

func (r *reader) list(what string) error {
	return r.c.Array(what, func() error {
		op, err := r.operation()
		if err != nil {
			return err
		}
		return r.add(&op, nil)
	})
}

// machine reads one machine of the object of machines: what it is, and its
// operations.
func (r *reader) machine(name string) error {
	var m machineData
	var ops []operation
	err := r.c.Object("machine "+read.Quote(name), func(key string) (err error) {
		switch {
		case key == "instance_data":
			m, err = r.instanceData()
		case r.c.Ahead() == '{':
			var op operation
			op, err = r.operation()
			ops = append(ops, op)
		default:
			r.b.Ignore(key)
			err = r.c.Skip(key)
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

func (r *reader) instanceData() (m machineData, err error) {
	err = r.c.Fields("instance_data", read.Fields{
		"ZONE": read.To(&m.zone, r.c.MaybeName), "MACHINE_TYPE": read.To(&m.machineType, r.c.MaybeName),
		"PREEMPTIBLE": read.To(&m.preemptible, r.c.MaybeName),
	}, func(key string) { r.b.Ignore("instance_data." + key) })
	return m, err
}
