package clouds

import (
	"strings"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats/read"
)

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
