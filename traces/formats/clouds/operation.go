package clouds

import (
	"cmp"
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
