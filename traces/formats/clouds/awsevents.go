package clouds

import (
	"bufio"
	"bytes"
	"fmt"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
	"github.com/marigram/marigram/traces/ownruns"
)

// eventFormat reads EventBridge events about Spot machines.
var eventFormat = formats.Format{
	Name: "aws-events",
	What: "JSON of Amazon EventBridge, one event, an array, or one a line: interruption warnings, " +
		"rebalance recommendations and changes of state of EC2 " +
		"(pending, running, shutting-down, terminated, stopping, stopped), others are counted; " +
		"the instance type is not in them (the option instance-type says it), " +
		"the zone only where the resource names it; how long before the end a warning came is not recorded",
	Example: `{"version": "0", "id": "12345678-1234-1234-1234-123456789012", ` +
		`"detail-type": "EC2 Spot Instance Interruption Warning", ` +
		`"source": "aws.ec2", "account": "123456789012", ` +
		`"time": "2021-05-04T17:00:00Z", "region": "us-east-2", ` +
		`"resources": ["arn:aws:ec2:us-east-2a:instance/i-1234567890abcdef0"], ` +
		`"detail": {"instance-id": "i-1234567890abcdef0", "instance-action": "terminate"}}`,
	Version:   2,
	Clock:     traces.ClockUTC,
	Semantics: traces.SemanticsUnknown,
	Recognise: func(s *read.Source) bool {
		first := bytes.TrimLeft(s.Head, "[ \t\r\n")
		return (&read.Source{Head: first}).TopKey("detail-type")
	},
	New:     func(b *formats.Builder) formats.Importer { return events{b} },
	Records: &eventRecords,
}

// eventKinds are the events of interest, by detail-type.
var eventKinds = map[string]string{
	"EC2 Spot Instance Interruption Warning": traces.KindNotice,
	"EC2 Instance Rebalance Recommendation":  traces.KindRebalance,
}

// stateChange is the event of a state that a machine has from now on.
const stateChange = "EC2 Instance State-change Notification"

// stateKinds are the states. They do not say who ended a machine.
var stateKinds = map[string]string{
	"pending": traces.KindLaunch, "running": traces.KindRunning,
	"shutting-down": traces.KindTerminate, "terminated": traces.KindTerminate,
	"stopping": traces.KindTerminate, "stopped": traces.KindTerminate,
}

// instanceARN finds the place in the name of a resource.
var instanceARN = read.Pattern(`^arn:[a-z-]+:ec2:([a-z0-9-]+):(?:\d*:)?instance/`)

// events reads events.
type events struct{ *formats.Builder }

func (b events) Read(s *read.Source) error {
	c := read.NewCursor(s)
	other := formats.Tally{}
	if err := c.Values(func() error { return b.event(c, other) }); err != nil {
		return err
	}
	b.NoteCounts(s, "events of other kinds", other)
	return nil
}

// event is what matters of an event.
type event struct {
	id, kind, region, zone, instance, state string
	at                                      int64
}

func (b events) event(c *read.Cursor, other formats.Tally) error {
	e := event{at: -1}
	err := c.Fields("an event", read.Fields{
		"id": read.To(&e.id, c.Name), "detail-type": read.To(&e.kind, c.Name), "region": read.To(&e.region, c.Name),
		"time":      read.To(&e.at, c.Instant),
		"resources": c.Each(func() error { return e.resource(c) }),
		"detail": func(key string) error {
			fields := read.Fields{"instance-id": read.To(&e.instance, c.Name), "state": read.To(&e.state, c.Name)}
			return c.Fields(key, fields, func(key string) { b.Ignore("detail." + key) })
		},
		"account": b.SkipPrivate(c),
		"version": c.Skip, "source": c.Skip,
	}, b.Ignore)
	if err != nil {
		return err
	}
	kind, ours := eventKinds[e.kind]
	if e.kind == stateChange {
		if kind, ours = stateKinds[e.state]; !ours {
			return c.Errorf("the event ends with the state %s, "+
				"expected one of pending, running, shutting-down, terminated, stopping, stopped", read.Quote(e.state))
		}
	}
	switch {
	case e.kind == "":
		return c.Errorf("the event ends without detail-type")
	case !ours:
		other.Add(e.kind)
		return nil
	case e.id == "" || e.region == "" || e.at < 0 || e.instance == "":
		return c.Errorf("the event ends without id, region, time or detail.instance-id")
	}
	if region, _ := read.RegionOf(e.zone); e.zone != "" && region != e.region {
		return c.Errorf("the event is of region %s, its resource in %s, expected one region", read.Quote(e.region),
			read.Quote(e.zone))
	}
	b.AddNotice(c, e.id, traces.InstanceEventRow{T: e.at, PoolID: b.RegionPool("aws", e.region, e.zone),
		InstanceID: e.instance, Kind: kind})
	return nil
}

// resource looks for a zone in the name of a resource.
func (e *event) resource(c *read.Cursor) error {
	text, err := c.Text("a resource", 4*traces.MaxName)
	if m := instanceARN().FindStringSubmatch(text); m != nil {
		if _, cloud := read.RegionOf(m[1]); cloud == "aws" {
			e.zone = m[1]
		}
	}
	return err
}

// eventRecords are the events of a run's machines.
var eventRecords = formats.Records{
	Command: "aws s3 cp --recursive s3://BUCKET/events . && cat events/* > events.jsonl" +
		"   # a rule of EventBridge for EC2 writes them to a bucket or a log group",
	From: "the vendor's user guide, states from memory; tried on samples made after it only",
	Lost: "instance types, who ended a machine (an end soon after a warning counts as a preemption), parts of seconds",
	Keep: keepEvents, Write: writeEvents,
}

// trailRecords are the evictions of a run's machines.
var trailRecords = formats.Records{
	Command: "aws cloudtrail lookup-events --lookup-attributes AttributeKey=EventName,AttributeValue=BidEvictedEvent " +
		"--query 'Events[].CloudTrailEvent' --output text > evicted.json",
	From: "memory, not checked against the documentation or a real record; tried on made samples only",
	Lost: "all but machines that were taken; their types and zones, parts of seconds",
	Keep: keepEvicted, Write: writeEvicted,
}

// awsZone is the name of a zone of AWS, and its region.
var awsZone = read.Pattern(`^([a-z]{2}(?:-[a-z]+)+-\d+)[a-z]$`)

// regionOf is the region of a zone; where the zone is not known a region that must be one.
func regionOf(zone string) (region string, known bool) {
	if m := awsZone().FindStringSubmatch(zone); m != nil {
		return m[1], true
	}
	return "us-east-1", false
}

// awsStates are the states that a change is to.
var awsStates = map[ownruns.Kind]string{
	ownruns.Launched: "pending", ownruns.Ready: "running", ownruns.Terminated: "shutting-down",
}

func keepEvents(r *ownruns.Run) (out []ownruns.Event) {
	for _, e := range r.Events {
		if !e.Kind.OfMachine() {
			continue
		}
		if e.Kind.Goes() {
			e.Kind = ownruns.Terminated
		}
		if _, known := regionOf(e.Zone); !known {
			e.Zone = ""
		}
		out = append(out, ownruns.MachineEvent(formats.WholeSeconds(e.T), e.Kind, e.Instance, e.Zone))
	}
	return out
}

type awsEvent struct {
	Version    string            `json:"version"`
	ID         string            `json:"id"`
	DetailType string            `json:"detail-type"`
	Source     string            `json:"source"`
	Account    string            `json:"account"`
	Time       string            `json:"time"`
	Region     string            `json:"region"`
	Resources  []string          `json:"resources"`
	Detail     map[string]string `json:"detail"`
}

func writeEvents(w *bufio.Writer, r *ownruns.Run) {
	for i, e := range keepEvents(r) {
		region, known := regionOf(e.Zone)
		place := region + ":123456789012"
		if known {
			place = e.Zone
		}
		x := awsEvent{
			Version:   "0",
			ID:        fmt.Sprintf("00000000-0000-0000-0000-%012d", i),
			Source:    "aws.ec2",
			Account:   "123456789012",
			Time:      formats.Calendar(e.T, "2006-01-02T15:04:05Z"),
			Region:    region,
			Resources: []string{"arn:aws:ec2:" + place + ":instance/" + e.Instance},
			Detail:    map[string]string{"instance-id": e.Instance},
		}
		switch e.Kind {
		case ownruns.Notice:
			x.DetailType = "EC2 Spot Instance Interruption Warning"
			x.Detail["instance-action"] = "terminate"
		case ownruns.Rebalance:
			x.DetailType = "EC2 Instance Rebalance Recommendation"
		default:
			x.DetailType = "EC2 Instance State-change Notification"
			x.Detail["state"] = awsStates[e.Kind]
		}
		formats.WriteJSON(w, x)
	}
}

func keepEvicted(r *ownruns.Run) (out []ownruns.Event) {
	for _, e := range r.Events {
		if e.Kind == ownruns.Preempted {
			out = append(out, ownruns.MachineEvent(formats.WholeSeconds(e.T), e.Kind, e.Instance, ""))
		}
	}
	return out
}

func writeEvicted(w *bufio.Writer, r *ownruns.Run) {
	for i, e := range keepEvicted(r) {
		formats.WriteJSON(w, map[string]any{
			"eventVersion":        "1.08",
			"eventTime":           formats.Calendar(e.T, "2006-01-02T15:04:05Z"),
			"eventSource":         "ec2.amazonaws.com",
			"eventName":           evicted,
			"awsRegion":           "us-east-1",
			"eventID":             fmt.Sprintf("00000000-0000-0000-0000-%012d", i),
			"eventType":           "AwsServiceEvent",
			"serviceEventDetails": map[string]any{"instanceIdSet": []string{e.Instance}},
		})
	}
}
