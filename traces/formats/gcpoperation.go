package formats

import (
	"strings"

	"github.com/marigram/marigram/traces"
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
func (r *gcpReader) operation() (op operation, err error) {
	var zone, link string
	c := r.c
	err = c.object("operation", func(key string) (err error) {
		switch key {
		case "operationType":
			op.what, err = c.name(key)
		case "insertTime":
			op.at, err = c.instant(key)
			op.line = c.line()
		case "status":
			op.status, err = c.text(key, traces.MaxName)
		case "targetId":
			op.target, err = c.name(key)
			if err == nil && !isDigits(op.target) {
				err = c.errorf("targetId %s, expected digits", quote(op.target))
			}
		case "targetLink":
			link, err = c.text(key, maxLine)
			r.b.Private("project in targetLink, selfLink and zone")
		case "zone":
			zone, err = c.text(key, maxLine)
		case "error":
			op.failure, err = r.failure()
		case "user":
			r.b.Private(key)
			err = c.skip(key)
		default:
			r.b.Ignore(key)
			err = c.skip(key)
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
func (r *gcpReader) complete(op *operation, zone, link string) error {
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
		return r.c.errorf("operation without operationType or insertTime, expected both")
	case op.zone == "" && op.resource == "instances", op.resource == "":
		return r.c.errorf("targetLink %s, expected one of a machine in a zone, .../zones/us-central1-c/instances/name", quote(link))
	case stated != "" && op.zone != "" && stated != op.zone:
		return r.c.errorf("operation in zone %s on a machine in %s, expected one zone", quote(stated), quote(op.zone))
	case op.target == "":
		op.target = of
	}
	for _, name := range []string{op.zone, op.target} {
		if err := checkName(name); err != nil && op.resource == "instances" {
			return r.c.errorf("targetLink %s names %s, %v", quote(link), quote(name), err)
		}
	}
	if len(op.resource) > traces.MaxName || checkName(op.resource) != nil {
		op.resource = "another resource"
	}
	return nil
}

// failure reads {"errors": [{"code": ...}]} and returns the first code.
func (r *gcpReader) failure() (code string, err error) {
	err = r.c.object("error", func(key string) error {
		if key != "errors" {
			return r.c.skip(key)
		}
		return r.c.array(key, func() error {
			return r.c.object("error", func(key string) error {
				if key != "code" || code != "" {
					return r.c.skip(key)
				}
				var err error
				code, err = r.c.name(key)
				return err
			})
		})
	})
	if err == nil && code == "" {
		code = "unknown"
	}
	return code, err
}
