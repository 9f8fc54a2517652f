package clouds

import (
	"bytes"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

// evicted is the event of Spot machines that were taken. That its machines are in
// serviceEventDetails.instanceIdSet is from memory, not from a record.
const evicted = "BidEvictedEvent"

// trailFormat reads records of CloudTrail.
var trailFormat = formats.Format{
	Name: "aws-cloudtrail",
	What: "JSON of AWS CloudTrail, a log file {\"Records\": [...]}, or one record after the other: BidEvictedEvent names " +
		"machines that were taken, others are counted; tried on made samples only, its fields are from memory; instance " +
		"type and zone are not in them",
	Example: `{"Records": [{"eventVersion": "1.08", "eventTime": "2021-05-04T17:02:00Z", "eventSource": "ec2.amazonaws.com", "eventName": ` +
		`"BidEvictedEvent", "awsRegion": "us-east-2", ` +
		`"eventID": "12345678-1234-1234-1234-123456789012", "eventType": "AwsServiceEvent", "serviceEventDetails": {"instanceIdSet": ["i-1234567890abcdef0"]}}]}`,
	Version: 1,
	Recognise: func(s *read.Source) bool {
		head := s.Head[:min(len(s.Head), read.MaxLine)]
		return (s.TopKey("Records", "eventVersion", "eventName", "eventTime") || bytes.HasPrefix(bytes.TrimSpace(head), []byte("["))) &&
			bytes.Contains(head, []byte(`"eventName"`))
	},
	New:     func(b *formats.Builder) formats.Importer { return trail{b} },
	Records: &trailRecords,
}

// trail reads records.
type trail struct{ *formats.Builder }

func (b trail) Read(s *read.Source) error {
	b.Manifest.ClockKind, b.Manifest.Semantics = traces.ClockUTC, traces.SemanticsUnknown
	c := read.NewCursor(s)
	other := formats.Tally{}
	one := func() error { return b.record(c, other) }
	for !c.Done() {
		err := error(nil)
		if c.Ahead() == '[' {
			err = c.Array("the file", one)
		} else {
			err = one()
		}
		if err != nil {
			return err
		}
	}
	b.NoteCounts(s, "records of other kinds", other)
	return nil
}

// record reads a record, or an object of a list of them.
func (b trail) record(c *read.Cursor, other formats.Tally) error {
	var name, id, region string
	var machines []string
	at, listed := int64(-1), false
	err := c.Object("a record", func(key string) (err error) {
		switch key {
		case "Records":
			listed = true
			return c.Array(key, func() error { return b.record(c, other) })
		case "eventName":
			name, err = c.Name(key)
		case "eventID":
			id, err = c.Name(key)
		case "awsRegion":
			region, err = c.Name(key)
		case "eventTime":
			at, err = c.Instant(key)
		case "serviceEventDetails":
			machines, err = evictedMachines(c)
		case "userIdentity", "recipientAccountId", "sourceIPAddress":
			b.Private(key)
			err = c.Skip(key)
		default:
			err = c.Skip(key)
		}
		return err
	})
	switch {
	case err != nil || listed:
		return err
	case name != evicted:
		other.Add(name)
		return nil
	case id == "" || region == "" || at < 0 || len(machines) == 0:
		return c.Errorf("the record of a %s ends without eventID, awsRegion, eventTime or serviceEventDetails.instanceIdSet", evicted)
	}
	for _, m := range machines {
		if b.Again(id + " " + m) {
			continue
		}
		b.AddEvents(traces.InstanceEventRow{T: at, PoolID: b.RegionPool("aws", region, ""), InstanceID: m, Kind: traces.KindPreempt,
			SrcFile: c.Source.Index, SrcRow: int64(c.Line()), Origin: traces.OriginAPI, Reason: traces.ReasonUnknown})
	}
	return nil
}

// evictedMachines reads the names of the machines.
func evictedMachines(c *read.Cursor) (machines []string, err error) {
	if c.Ahead() != '{' {
		return nil, c.Skip("serviceEventDetails")
	}
	err = c.Object("serviceEventDetails", func(key string) error {
		if key != "instanceIdSet" {
			return c.Skip(key)
		}
		return c.Array(key, func() error {
			m, err := c.Name("a machine")
			machines = append(machines, m)
			return err
		})
	})
	return machines, err
}
