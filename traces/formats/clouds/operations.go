package clouds

import (
	"bytes"
	"cmp"
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
	return r.c.Fields("the page", read.Fields{
		"items": r.list,
		"nextPageToken": func(key string) error {
			token, err := r.c.Text(key, read.MaxToken)
			if err != nil || token == "" {
				return err
			}
			return r.b.CutPage(r.c.Errorf("nextPageToken %s is not empty: the page was cut; --allow-truncated accepts it",
				read.Quote(token)))
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
	err = c.Fields("operation", read.Fields{
		"operationType": read.To(&op.what, c.Name),
		"insertTime": func(key string) (err error) {
			op.at, err = c.Instant(key)
			op.line = c.Line()
			return err
		},
		"status": read.To(&op.status, c.TextOf(traces.MaxName)),
		"targetId": func(key string) (err error) {
			if op.target, err = c.Name(key); err == nil && !read.IsDigits(op.target) {
				err = c.Errorf("targetId %s, expected digits", read.Quote(op.target))
			}
			return err
		},
		"targetLink": func(key string) (err error) {
			r.b.Private("project in targetLink, selfLink and zone")
			link, err = c.Text(key, read.MaxLine)
			return err
		},
		"zone":  read.To(&zone, c.TextOf(read.MaxLine)),
		"error": read.To(&op.failure, r.failure),
		"user":  r.b.SkipPrivate(c),
	}, r.b.Ignore)
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
func (r *reader) failure(what string) (code string, err error) {
	one := func() error {
		if code != "" {
			return r.c.Fields(what, nil, nil)
		}
		return r.c.Fields(what, read.Fields{"code": read.To(&code, r.c.Name)}, nil)
	}
	err = r.c.Fields(what, read.Fields{"errors": r.c.Each(one)}, nil)
	return cmp.Or(code, "unknown"), err
}

// reader reads one file of operations.
type reader struct {
	b    *operations
	s    *read.Source
	c    *read.Cursor
	rest formats.Tally // operations left out, by type

	pending []pendingEvent
}

// machineData is what the object of machines says of one.
type machineData struct{ zone, machineType, preemptible string }

// operations reads files of operations.
type operations struct {
	*formats.Builder
	ends map[string]int64 // by machine: when it last ended
}

// kinds are the operations that begin or end a machine's life.
var kinds = map[string]struct{ kind, reason string }{
	"insert":                             {traces.KindLaunch, traces.ReasonUnknown},
	"start":                              {traces.KindLaunch, traces.ReasonUnknown},
	"resume":                             {traces.KindLaunch, traces.ReasonUnknown},
	"compute.instances.automaticRestart": {traces.KindLaunch, traces.ReasonUnknown},
	"compute.instances.preempted":        {traces.KindPreempt, traces.ReasonCapacity},
	"stop":                               {traces.KindTerminate, traces.ReasonUser},
	"suspend":                            {traces.KindTerminate, traces.ReasonUser},
	"delete":                             {traces.KindTerminate, traces.ReasonUser},
	"compute.instances.guestTerminate":   {traces.KindTerminate, traces.ReasonUser},
	"compute.instances.hostError":        {traces.KindTerminate, traces.ReasonHostError},
}

// pendingEvent is a launch that was not done when it was listed.
type pendingEvent struct {
	e    traces.InstanceEventRow
	pool traces.Pool
	what string
}
