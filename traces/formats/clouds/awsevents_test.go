package clouds

import (
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/tracetest"
)

func TestAWSEvents(t *testing.T) {
	const warning, rebalance = "EC2 Spot Instance Interruption Warning", "EC2 Instance Rebalance Recommendation"
	oneLine := func(text string) string { return strings.ReplaceAll(text, "\n", "") }
	a := testutil.AWSEvent("a", warning, "i-1", "arn:aws:ec2:us-east-2a:instance/i-1")
	r := testutil.AWSEvent("b", rebalance, "i-1", "arn:aws:ec2:us-east-2:123456789012:instance/i-1")
	other := testutil.AWSEvent("c", "EC2 Fleet Error", "i-1", "x")
	for name, text := range map[string]string{
		"array":  "[" + a + ",\n" + r + ", " + a + "," + other + "]\n",
		"NDJSON": "\xef\xbb\xbf" + oneLine(a) + "\r\n" + oneLine(r) + "\r\n" + oneLine(a) + "\r\n" + oneLine(other) + "\r\n",
	} {
		s, rep := tracetest.Import(t, "", traces.Options{}, tracetest.File(t, "a.json", text))
		if rep.Format != "aws-events" || len(s.InstanceEvents) != 2 || rep.Duplicates != 1 || len(s.Pools) != 2 {
			t.Fatalf("%s: %+v, %+v", name, rep, s.InstanceEvents)
		}
		for _, e := range s.InstanceEvents {
			pool := s.Pools[e.PoolID]
			want := map[string]string{"notice": "us-east-2a", "rebalance": "us-east-2"}[e.Kind]
			if pool.Name != want || pool.Region != "us-east-2" || e.InstanceID != "i-1" || e.NoticeUs != nil || e.Reason != "unknown" ||
				traces.Stamp(e.T) != "2021-05-04T17:00:00.000Z" {
				t.Errorf("%s: %+v in %+v", name, e, pool)
			}
		}
		if note := strings.Join(rep.Notes, "\n"); !strings.Contains(note, `1 "EC2 Fleet Error"`) {
			t.Errorf("%s: notes %s", name, note)
		}
		if len(s.Manifest.PIIDropped) != 1 || s.Manifest.PIIDropped[0] != "account" {
			t.Errorf("%s: dropped %v", name, s.Manifest.PIIDropped)
		}
	}
	s, _ := tracetest.Import(t, "", traces.Options{InstanceType: "p3.2xlarge"}, tracetest.File(t, "a.json", a))
	if p := s.Pools[0]; p.Name != "us-east-2a/p3.2xlarge" || p.GPUType != "V100" {
		t.Errorf("pool %+v", p)
	}
}

func TestAWSStates(t *testing.T) {
	state := func(id, state string) string {
		return strings.Replace(testutil.AWSEvent(id, "EC2 Instance State-change Notification", "i-1", "arn:aws:ec2:us-east-2:123456789012:instance/i-1"),
			`"instance-action": "terminate"`, `"state": "`+state+`"`, 1)
	}
	text := state("a", "pending") + state("b", "running") + state("c", "shutting-down") + state("d", "terminated")
	s, _ := tracetest.Import(t, "", traces.Options{}, tracetest.File(t, "a.json", text))
	kinds := ""
	for _, e := range s.InstanceEvents {
		kinds += e.Kind + " "
	}
	if kinds != "launch running terminate terminate " {
		t.Error(kinds)
	}
	_, _, err := formats.Import("", []string{tracetest.File(t, "a.json", state("a", "dozing"))}, traces.Options{})
	if err == nil || !strings.Contains(err.Error(), `the state "dozing", expected one of pending`) {
		t.Error(err)
	}
}

func TestCloudTrail(t *testing.T) {
	record := func(id, name string) string {
		return `{"eventVersion": "1.08", "userIdentity": {"accountId": "123456789012", "invokedBy": "ec2.amazonaws.com"}, "eventTime": ` +
			`"2021-05-04T17:02:00Z", "eventSource": "ec2.amazonaws.com",
 "eventName": "` + name + `", "awsRegion": "us-east-2", "requestParameters": null, "eventID": "` + id + `", "eventType": "AwsServiceEvent", ` +
			`"serviceEventDetails": {"instanceIdSet": ["i-1", "i-2"]}}`
	}
	for _, text := range []string{`{"Records": [` + record("a", "BidEvictedEvent") + "," + record("b", "RunInstances") + "," +
		record("a", "BidEvictedEvent") + "]}",
		record("a", "BidEvictedEvent") + "\t" + record("a", "BidEvictedEvent") + "\n" + record("b", "RunInstances")} {
		s, r := tracetest.Import(t, "", traces.Options{}, tracetest.File(t, "a.json", text))
		if r.Format != "aws-cloudtrail" || len(s.InstanceEvents) != 2 || r.Duplicates != 2 || !strings.Contains(strings.Join(r.Notes, ""), `1 "RunInstances"`) {
			t.Fatalf("%+v, %+v", r, s.InstanceEvents)
		}
		if e := s.InstanceEvents[1]; e.Kind != traces.KindPreempt || e.InstanceID != "i-2" || e.Reason != traces.ReasonUnknown || s.Pools[0].Name != "us-east-2" {
			t.Errorf("%+v", e)
		}
	}
}

func TestAWSEventErrors(t *testing.T) {
	event := testutil.AWSEvent("a", "EC2 Spot Instance Interruption Warning", "i-1", "x")
	for name, c := range map[string]struct{ text, want string }{
		"event time":      {strings.Replace(event, "2021-05-04T17:00:00Z", "today", 1), `a:1:142: time "today", expected RFC 3339`},
		"event machine":   {strings.Replace(event, `"instance-id": "i-1", `, "", 1), "ends without id, region, time or detail.instance-id"},
		"event cut":       {event[:200], "the JSON ends in the middle"},
		"event no object": {"[" + event + ", 5]", "an event is the number 5, expected an object"},
	} {
		_, _, err := formats.Import("", []string{tracetest.File(t, "a", c.text)}, traces.Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\n\texpected %s", name, err, c.want)
		}
	}
}
