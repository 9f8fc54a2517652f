package clouds

import (
	"bufio"
	"fmt"

	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
	"github.com/marigram/marigram/traces/ownruns"
)

// eventRecords are the events of a run's machines.
var eventRecords = formats.Records{
	Command: "aws s3 cp --recursive s3://BUCKET/events . && cat events/* > events.jsonl   # a rule of EventBridge for EC2 writes them to a bucket or a log group",
	From:    "the vendor's user guide, states from memory; tried on samples made after it only",
	Lost:    "instance types, who ended a machine (an end soon after a warning counts as a preemption), parts of seconds",
	Keep:    keepEvents, Write: writeEvents,
}

// trailRecords are the evictions of a run's machines.
var trailRecords = formats.Records{
	Command: "aws cloudtrail lookup-events --lookup-attributes AttributeKey=EventName,AttributeValue=BidEvictedEvent --query " +
		"'Events[].CloudTrailEvent' --output text > evicted.json",
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
var awsStates = map[ownruns.Kind]string{ownruns.Launched: "pending", ownruns.Ready: "running", ownruns.Terminated: "shutting-down"}

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
		x := awsEvent{Version: "0", ID: fmt.Sprintf("00000000-0000-0000-0000-%012d", i), Source: "aws.ec2", Account: "123456789012",
			Time: formats.Calendar(e.T, "2006-01-02T15:04:05Z"), Region: region, Resources: []string{"arn:aws:ec2:" + place + ":instance/" + e.Instance},
			Detail: map[string]string{"instance-id": e.Instance}}
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
		formats.WriteJSON(w, map[string]any{"eventVersion": "1.08", "eventTime": formats.Calendar(e.T, "2006-01-02T15:04:05Z"), "eventSource": "ec2.amazonaws.com",
			"eventName": "BidEvictedEvent", "awsRegion": "us-east-1", "eventID": fmt.Sprintf("00000000-0000-0000-0000-%012d", i),
			"eventType": "AwsServiceEvent", "serviceEventDetails": map[string]any{"instanceIdSet": []string{e.Instance}}})
	}
}
