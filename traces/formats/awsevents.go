package formats

import (
	"bytes"
	"regexp"

	"github.com/marigram/marigram/traces"
)

// awsEvents reads EventBridge events about Spot machines.
var awsEvents = Format{
	Name: "aws-events",
	What: "JSON of Amazon EventBridge, one event, an array, or one a line: interruption warnings and rebalance recommendations of EC2, others are counted; the instance type is not in them (the option instance-type says it), the zone only where the resource names it; how long before the end a warning came is not recorded",
	Example: `{"version": "0", "id": "12345678-1234-1234-1234-123456789012", "detail-type": "EC2 Spot Instance Interruption Warning", "source": "aws.ec2", "account": "123456789012", ` +
		`"time": "2021-05-04T17:00:00Z", "region": "us-east-2", "resources": ["arn:aws:ec2:us-east-2a:instance/i-1234567890abcdef0"], ` +
		`"detail": {"instance-id": "i-1234567890abcdef0", "instance-action": "terminate"}}`,
	Version: 1,
	Recognise: func(s *source) bool {
		first := bytes.TrimLeft(s.head, "[ \t\r\n")
		return (&source{head: first}).topKey("detail-type")
	},
	New: func(b *Builder) Importer { return awsEventReader{b} },
}

// awsEventKinds are the events of interest, by detail-type.
var awsEventKinds = map[string]string{
	"EC2 Spot Instance Interruption Warning": traces.KindNotice,
	"EC2 Instance Rebalance Recommendation":  traces.KindRebalance,
}

// instanceARN finds the place in the name of a resource.
var instanceARN = regexp.MustCompile(`^arn:[a-z-]+:ec2:([a-z0-9-]+):(?:\d*:)?instance/`)

// awsEventReader reads events.
type awsEventReader struct{ *Builder }

func (b awsEventReader) Read(s *source) error {
	b.Manifest.ClockKind, b.Manifest.Semantics = traces.ClockUTC, traces.SemanticsUnknown
	c := newCursor(s)
	other := tally{}
	for !c.done() {
		read := func() error { return b.event(c, other) }
		if c.ahead() == '[' {
			if err := c.array("the file", read); err != nil {
				return err
			}
		} else if err := read(); err != nil {
			return err
		}
	}
	b.NoteCounts(s, "events of other kinds", other)
	return nil
}

// awsEvent is what matters of an event.
type awsEvent struct {
	id, kind, region, zone, instance string
	at                               int64
}

func (b awsEventReader) event(c *cursor, other tally) error {
	e := awsEvent{at: -1}
	err := c.object("an event", func(key string) (err error) {
		switch key {
		case "id":
			e.id, err = c.name(key)
		case "detail-type":
			e.kind, err = c.name(key)
		case "region":
			e.region, err = c.name(key)
		case "time":
			e.at, err = c.instant(key)
		case "resources":
			return c.array(key, func() error { return e.resource(c) })
		case "detail":
			return e.detail(c, b.Builder)
		case "account":
			b.Private(key)
			return c.skip(key)
		case "version", "source":
			return c.skip(key)
		default:
			b.Ignore(key)
			err = c.skip(key)
		}
		return err
	})
	if err != nil {
		return err
	}
	kind, ours := awsEventKinds[e.kind]
	switch {
	case e.kind == "":
		return c.errorf("the event ends without detail-type")
	case !ours:
		other.add(e.kind)
		return nil
	case e.id == "" || e.region == "" || e.at < 0 || e.instance == "":
		return c.errorf("the event ends without id, region, time or detail.instance-id")
	}
	if region, _ := regionOf(e.zone); e.zone != "" && region != e.region {
		return c.errorf("the event is of region %s, its resource in %s, expected one region", quote(e.region), quote(e.zone))
	}
	b.AddNotice(c, e.id, traces.InstanceEventRow{T: e.at, PoolID: b.RegionPool("aws", e.region, e.zone), InstanceID: e.instance, Kind: kind})
	return nil
}

// resource looks for a zone in the name of a resource.
func (e *awsEvent) resource(c *cursor) error {
	text, err := c.text("a resource", 4*traces.MaxName)
	if m := instanceARN.FindStringSubmatch(text); m != nil && awsZone.MatchString(m[1]) {
		e.zone = m[1]
	}
	return err
}

func (e *awsEvent) detail(c *cursor, b *Builder) error {
	return c.object("detail", func(key string) (err error) {
		if key != "instance-id" {
			b.Ignore("detail." + key)
			return c.skip(key)
		}
		e.instance, err = c.name(key)
		return err
	})
}
