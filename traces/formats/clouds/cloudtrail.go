package clouds

import (
	"bytes"
	"strings"

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
	What: "JSON of AWS CloudTrail, a log file {\"Records\": [...]}, or one record after the other: BidEvictedEvent " +
		"names machines that were taken, others are counted; tried on made samples only, its fields are from memory; " +
		"instance type and zone are not in them",
	Example: `{"Records": [{"eventVersion": "1.08", "eventTime": "2021-05-04T17:02:00Z", ` +
		`"eventSource": "ec2.amazonaws.com", "eventName": "BidEvictedEvent", "awsRegion": "us-east-2", ` +
		`"eventID": "12345678-1234-1234-1234-123456789012", "eventType": "AwsServiceEvent", ` +
		`"serviceEventDetails": {"instanceIdSet": ["i-1234567890abcdef0"]}}]}`,
	Version:   1,
	Clock:     traces.ClockUTC,
	Semantics: traces.SemanticsUnknown,
	Recognise: func(s *read.Source) bool {
		isObject := s.TopKey("Records", "eventVersion", "eventName", "eventTime")
		isArray := strings.HasPrefix(s.FirstLine(), "[")
		head := s.Head[:min(len(s.Head), read.MaxLine)]
		return (isObject || isArray) && bytes.Contains(head, []byte(`"eventName"`))
	},
	New:     func(b *formats.Builder) formats.Importer { return trail{b} },
	Records: &trailRecords,
}

// trail reads records.
type trail struct{ *formats.Builder }

func (b trail) Read(s *read.Source) error {
	c := read.NewCursor(s)
	other := formats.Tally{}
	if err := c.Values(func() error { return b.record(c, other) }); err != nil {
		return err
	}
	b.NoteCounts(s, "records of other kinds", other)
	return nil
}

// record reads a record, or an object of a list of them.
func (b trail) record(c *read.Cursor, other formats.Tally) error {
	var name, id, region string
	var machines []string
	at := int64(-1)
	listed := false
	private := b.SkipPrivate(c)
	err := c.Fields("a record", read.Fields{
		"Records":   read.Seen(&listed, c.Each(func() error { return b.record(c, other) })),
		"eventName": read.To(&name, c.Name), "eventID": read.To(&id, c.Name), "awsRegion": read.To(&region, c.Name),
		"eventTime": read.To(&at, c.Instant),
		"serviceEventDetails": func(key string) error { // null in other records
			if c.Ahead() != '{' {
				return c.Skip(key)
			}
			return c.Fields(key, read.Fields{"instanceIdSet": c.Names(&machines, "a machine")}, nil)
		},
		"userIdentity": private, "recipientAccountId": private, "sourceIPAddress": private,
	}, nil)
	switch {
	case err != nil || listed:
		return err
	case name != evicted:
		other.Add(name)
		return nil
	case id == "" || region == "" || at < 0 || len(machines) == 0:
		return c.Errorf("the record of a %s ends without eventID, awsRegion, eventTime or "+
			"serviceEventDetails.instanceIdSet", evicted)
	}
	for _, m := range machines {
		b.AddNotice(c, id+" "+m, traces.InstanceEventRow{
			T: at, PoolID: b.RegionPool("aws", region, ""), InstanceID: m, Kind: traces.KindPreempt,
		})
	}
	return nil
}
