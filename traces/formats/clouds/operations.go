package clouds

import (
	"bytes"
	"maps"
	"slices"
	"strings"

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
	Example: `[{"operationType": "insert", "insertTime": "2019-03-25T12:22:36.614-07:00", "status": "DONE", "targetId": "75923", "targetLink": ` +
		`"https://www.googleapis.com/compute/v1/projects/p/zones/us-central1-c/instances/a"}]`,
	Version: 1,
	Recognise: func(s *read.Source) bool {
		head := bytes.TrimSpace(s.Head[:min(len(s.Head), read.MaxLine)])
		return len(head) > 0 && (head[0] == '[' || head[0] == '{') && bytes.Contains(head, []byte(`"operationType"`))
	},
	New:     func(b *formats.Builder) formats.Importer { return &operations{b, map[string]int64{}} },
	Records: &operationRecords,
}

func (b *operations) Read(s *read.Source) error {
	r := &reader{b: b, s: s, c: read.NewCursor(s), rest: formats.Tally{}}
	b.Manifest.ClockKind, b.Manifest.Semantics = traces.ClockUTC, traces.SemanticsLifetimes
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
	return r.c.Object("the page", func(key string) error {
		switch key {
		case "items":
			return r.list(key)
		case "nextPageToken":
			token, err := r.c.Text(key, read.MaxToken)
			if err != nil || token == "" {
				return err
			}
			return r.b.CutPage(r.c.Errorf("nextPageToken %s is not empty: the page was cut; --allow-truncated accepts it",
				read.Quote(token)))
		}
		r.b.Ignore(key)
		return r.c.Skip(key)
	})
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
	fields := map[string]*string{"ZONE": &m.zone, "MACHINE_TYPE": &m.machineType, "PREEMPTIBLE": &m.preemptible}
	err = r.c.Object("instance_data", func(key string) (err error) {
		into := fields[key]
		if into == nil {
			r.b.Ignore("instance_data." + key)
			return r.c.Skip(key)
		}
		*into, err = r.c.Text(key, traces.MaxName)
		if bad := read.CheckName(*into); err == nil && *into != "" && bad != nil {
			err = r.c.Errorf("%s %s, %v", key, read.Quote(*into), bad)
		}
		return err
	})
	return m, err
}

// operation is one record of the API.
type operation struct {
	line     int
	what     string // operationType
	at       int64  // insertTime
	target   string // targetId, which stays with a machine; its name where there is none
	zone     string
	resource string // instances, disks, ...
	status   string
	failure  string // code of the first error; empty: none
}

// operation reads one record. Who asked for it and in which project is dropped.
func (r *reader) operation() (op operation, err error) {
	var zone, link string
	c := r.c
	err = c.Object("operation", func(key string) (err error) {
		switch key {
		case "operationType":
			op.what, err = c.Name(key)
		case "insertTime":
			op.at, err = c.Instant(key)
			op.line = c.Line()
		case "status":
			op.status, err = c.Text(key, traces.MaxName)
		case "targetId":
			op.target, err = c.Name(key)
			if err == nil && !read.IsDigits(op.target) {
				err = c.Errorf("targetId %s, expected digits", read.Quote(op.target))
			}
		case "targetLink":
			link, err = c.Text(key, read.MaxLine)
			r.b.Private("project in targetLink, selfLink and zone")
		case "zone":
			zone, err = c.Text(key, read.MaxLine)
		case "error":
			op.failure, err = r.failure()
		case "user":
			r.b.Private(key)
			err = c.Skip(key)
		default:
			r.b.Ignore(key)
			err = c.Skip(key)
		}
		return err
	})
	if err != nil {
		return op, err
	}
	return op, r.complete(&op, zone, link)
}

// complete takes zone and machine from the links, and checks that nothing is
// missing.
func (r *reader) complete(op *operation, zone, link string) error {
	of := link
	if _, rest, ok := strings.Cut(link, "/zones/"); ok {
		op.zone, of, _ = strings.Cut(rest, "/")
	}
	op.resource, of, _ = strings.Cut(of, "/")
	if strings.Contains(op.resource, ":") { // a link without a zone: global, regional
		op.resource = "resources outside a zone"
	}
	stated := zone[strings.LastIndexByte(zone, '/')+1:]
	switch {
	case op.what == "" || op.at == 0:
		return r.c.Errorf("operation without operationType or insertTime, expected both")
	case op.zone == "" && op.resource == "instances", op.resource == "":
		return r.c.Errorf("targetLink %s, expected one of a machine in a zone, .../zones/us-central1-c/instances/name",
			read.Quote(link))
	case stated != "" && op.zone != "" && stated != op.zone:
		return r.c.Errorf("operation in zone %s on a machine in %s, expected one zone", read.Quote(stated),
			read.Quote(op.zone))
	case op.target == "":
		op.target = of
	}
	for _, name := range []string{op.zone, op.target} {
		if err := read.CheckName(name); err != nil && op.resource == "instances" {
			return r.c.Errorf("targetLink %s names %s, %v", read.Quote(link), read.Quote(name), err)
		}
	}
	if len(op.resource) > traces.MaxName || read.CheckName(op.resource) != nil {
		op.resource = "another resource"
	}
	return nil
}

// failure reads {"errors": [{"code": ...}]} and returns the first code.
func (r *reader) failure() (code string, err error) {
	err = r.c.Object("error", func(key string) error {
		if key != "errors" {
			return r.c.Skip(key)
		}
		return r.c.Array(key, func() error {
			return r.c.Object("error", func(key string) error {
				if key != "code" || code != "" {
					return r.c.Skip(key)
				}
				var err error
				code, err = r.c.Name(key)
				return err
			})
		})
	})
	if err == nil && code == "" {
		code = "unknown"
	}
	return code, err
}
