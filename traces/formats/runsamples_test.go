package formats_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/ownruns"
)

// samples are made after the vendors' documentation; none is of a real run.
var samples = map[string]struct{ name, text, want string }{
	"requeued job": {"sacct.txt", `JobIDRaw|JobName|Partition|State|Submit|Start|End|ElapsedRaw|NNodes|NodeList|Restarts|Reason
7|train|spot|PREEMPTED|2026-01-02T00:00:00|2026-01-02T00:01:00|2026-01-02T01:00:00|3540|3|gpu[08-09],b1|0|None
7.batch|batch||CANCELLED|2026-01-02T00:01:00|2026-01-02T00:01:00|2026-01-02T01:00:00|3540|1|gpu08||
7|train|spot|NODE_FAIL|2026-01-02T01:00:00|2026-01-02T01:10:00|2026-01-02T01:20:00|600|1|b1|1|None
7|train|spot|CANCELLED by 1000|2026-01-02T01:20:00|2026-01-02T01:30:00|2026-01-02T02:00:00|1800|1|b1|2|None
`, `0 start
60 ready b1 spot
60 ready gpu08 spot
60 ready gpu09 spot
3600 preempted b1 spot
3600 preempted gpu08 spot
3600 preempted gpu09 spot
4200 ready b1 spot
4200 restart
4800 failed b1 spot
5400 ready b1 spot
5400 restart
7200 aborted
7200 released b1 spot
`},
	"slurm JSON, numbers as objects": {"s.json", `{"meta": {"plugin": {"type": "a"}}, "jobs": [{"job_id": 7, "steps": [{"time": {"start": ` +
		`1}}], "partition": "p", "nodes": "a[1-2]",
 "state": {"current": ["COMPLETED"], "reason": "None"}, "time": {"submission": 1767312000, "start": {"set": true, "infinite": false, ` +
		`"number": 1767312060}, "end": {"set": true, "number": 1767312120}}}], "errors": []}`,
		"0 start\n60 ready a1 p\n60 ready a2 p\n120 end\n120 released a1 p\n120 released a2 p\n"},
	"collector of Kubernetes": {"k.json", `{"type":"ADDED","object":{"kind":"Event","reason":"SpotInterrupted",` +
		`"involvedObject":{"kind":"NodeClaim","name":"a"},"lastTimestamp":null,"eventTime":"2026-01-02T00:00:01.500000Z"}}
{"kind":"Event","reason":"Pulled","involvedObject":{"kind":"Pod","name":"x"},"lastTimestamp":"2026-01-02T00:00:00Z"}
{"kind":"Event","reason":"RemovingNode","involvedObject":{"kind":"Node","name":"a"},"lastTimestamp":"2026-01-02T00:01:01Z"}`,
		"0 notice a\n59.5 terminated a\n"},
	"list of Kubernetes": {"k.json", `{"apiVersion": "v1", "items": [{"reason": "NodeReady", "involvedObject": {"kind": "Node", "name": "a"}, ` +
		`"lastTimestamp": "2026-01-02T00:00:00Z", "metadata": {"managedFields": [{"a": []}]}},
 {"reason": "Completed", "involvedObject": {"kind": "Job", "name": "j"}, "lastTimestamp": "2026-01-02T00:10:00Z"}], "kind": "List"}`, "0 ready a\n600 end\n"},
	"SkyPilot events as CSV": {"e.csv", `id,spot_job_id,task_id,new_status,code,reason,timestamp,recovery_source
1,3,0,PENDING,,,2026-01-02 00:00:00+00:00,
2,3,0,ManagedJobStatus.STARTING,,,2026-01-02 00:00:10.500000+00:00,
3,3,0,RUNNING,,,2026-01-02 00:02:00+00:00,
4,3,0,RECOVERING,,"cluster lost, again",2026-01-02 01:00:00+00:00,FAILURE
5,3,0,RUNNING,,,2026-01-02 01:10:00+00:00,
6,3,0,RECOVERING,,,2026-01-02 01:20:00+00:00,HA
7,3,0,SUCCEEDED,,,2026-01-02 02:00:00+00:00,
`, "0 start\n10.5 launched job 3 cluster 1\n120 ready job 3 cluster 1\n3600 preempted job 3 cluster 1\n4200 ready job 3 cluster 2\n7200 end\n"},
	"SkyPilot jobs as JSON": {"j.json", `[{"job_id": 4, "job_name": "t", "resources": "8x", "submitted_at": 1767312000.25, "start_at": ` +
		`1767312100.0, "end_at": 1767319200.0, "last_recovered_at": 1767315000.5, "recovery_count": 2, "status": "FAILED_SETUP", "failure_reason": null}]`,
		"0 start\n99.75 training\n3000.25 restart\n7199.75 aborted\n"},
	"goodput, from Cloud Logging": {"g.json", `[{"logName": "l", "jsonPayload": {"job_name": "j", "job_start_time": 1767312000.5}}, ` +
		`{"jsonPayload": {"job_name": "j", "tpu_init_start_time": 1767312001}},
 {"jsonPayload": {"job_name": "j", "tpu_init_end_time": 1767312031}}, {"jsonPayload": {"job_name": "j", "step_count": 0, "step_start_time": ` +
		`1767312040.123456789}}, {"jsonPayload": {"job_name": "j", "job_start_time": 1767312100}}]`,
		"0 start\n0.5 starting 30\n39.623456 step 0\n99.5 restart\n"},
	"W&B": {"h.csv", "_step,loss,_runtime,_timestamp,note\n0,2.5,0.1,1767312000.25,\"a, " +
		"b\"\n10,NaN,1.1,1767312010.25,\n5,,2,1767312300.25,\n", "0 loss 2.5\n0 step 0\n10 step 10\n300 step 5\n"},
	"W&B without a clock": {"h.csv", "_runtime,_step\n1.5,0\n2.5,10\n", "0 step 0\n1 step 10\n"},
	"MLflow":              {"train_loss", "1767312000250 2.5 0\n1767312001250 -0.5 3\n", "0 loss 2.5\n0 step 0\n1 loss -0.5\n1 step 3\n"},
	"trainer":             {"t.csv", "timestamp,step\n2026-01-02T00:00:00Z,1\n2026-01-02T01:00:01+01:00,2\n", "0 step 1\n1 step 2\n"},
	"cost report": {"c.csv", "identity/LineItemId,lineItem/UsageStartDate,lineItem/UsageType,lineItem/ResourceId,lineItem/UnblendedCost," +
		"lineItem/AvailabilityZone\n" +
		"a,2026-01-02T00:00:00Z,USE2-SpotUsage:p3.2xlarge,i-1,0.9180000000,us-east-2b\nb,2026-01-02T00:00:00Z,USE2-BoxUsage:p3.2xlarge," +
		"arn:aws:ec2:us-east-2:1:instance/i-2,3.06,us-east-2b\n" +
		"c,2026-01-02T01:00:00Z,USE2-DataTransfer-Regional-Bytes,i-1,0.01,\nd,2026-01-02T01:00:00Z,USE2-EBS:VolumeUsage.gp3,vol-1,0,\n",
		"0 charge i-1 p3.2xlarge us-east-2b 0.918\n0 charge i-2 p3.2xlarge:on-demand us-east-2b 3.06\n3600 charge i-1 0.01\n"},
	"EventBridge": {"e.jsonl", `{"version":"0","id":"1","detail-type":"EC2 Instance State-change ` +
		`Notification","source":"aws.ec2","account":"1","time":"2026-01-02T00:00:00Z","region":"us-east-2",` +
		`"resources":["arn:aws:ec2:us-east-2:123456789012:instance/i-1"],"detail":{"instance-id":"i-1","state":"running"}}
{"version":"0","id":"2","detail-type":"EC2 Spot Instance Interruption ` +
		`Warning","source":"aws.ec2","account":"1","time":"2026-01-02T00:01:00Z","region":"us-east-2",` +
		`"resources":["arn:aws:ec2:us-east-2b:instance/i-1"],"detail":{"instance-id":"i-1","instance-action":"terminate"}}`,
		"0 ready i-1\n60 notice i-1 us-east-2b\n"},
	"prices that traces know": {"p.csv", "time,zone,type,price\n2026-01-02T00:00:00Z,us-east-2b,p3.2xlarge,0.918\n", "0 price p3.2xlarge us-east-2b 0.918\n"},
}

// brief is what a run says: each event with its seconds since the first, those of one
// instant by their text.
func brief(r *ownruns.Run) string {
	var lines []string
	for i := range r.Events {
		e := &r.Events[i]
		text := e.Kind.String()
		kind := e.Type
		if e.OnDemand {
			kind += ":on-demand"
		}
		for _, name := range []string{e.Instance, kind, e.Zone} {
			if name != "" {
				text += " " + name
			}
		}
		if !math.IsNaN(e.Value) {
			text += " " + strconv.FormatFloat(e.Value, 'f', -1, 64)
		}
		lines = append(lines, fmt.Sprintf("%015d %s\n", e.T-r.Events[0].T, text))
	}
	slices.Sort(lines)
	for i, line := range lines {
		at, text, _ := strings.Cut(line, " ")
		us, _ := strconv.ParseInt(at, 10, 64)
		lines[i] = strconv.FormatFloat(float64(us)/1e6, 'f', -1, 64) + " " + text
	}
	return strings.Join(lines, "")
}

func sample(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRunSamples(t *testing.T) {
	for name, c := range samples {
		r, err := formats.ImportRun("", []string{sample(t, c.name, c.text)}, traces.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := brief(r); got != c.want {
			t.Errorf("%s:\n%s\nexpected\n%s", name, got, c.want)
		}
	}
}

func TestRunErrors(t *testing.T) {
	for name, c := range map[string]struct {
		text, want string
		opt        traces.Options
		format     string
	}{
		"unknown":  {"hello\n", "has no known format; name it (--format): aws-cloudtrail, ", traces.Options{}, ""},
		"empty":    {" \n", "is empty", traces.Options{}, ""},
		"bad name": {"x", `unknown format "slurm"`, traces.Options{}, "slurm"},
		"two jobs": {"spot_job_id,new_status,timestamp\n1,RUNNING,1767312000\n2,RUNNING,1767312000\n",
			"holds 2 jobs (1, 2), expected one run; choose it with --job", traces.Options{}, ""},
		"no job":     {"spot_job_id,new_status,timestamp\n1,RUNNING,1767312000\n", `has no job "9"; it has 1`, traces.Options{Job: "9"}, ""},
		"step":       {"timestamp,step\n1767312000,x\n", `f:2:12: step "x", expected a number from 0 to 1e+15`, traces.Options{}, ""},
		"no step":    {"timestamp,step\n1767312000,\n", `f:2:12: step ""`, traces.Options{}, ""},
		"time":       {"timestamp,step\nyesterday,1\n", `f:2:1: timestamp "yesterday", expected an instant`, traces.Options{}, ""},
		"two clocks": {"timestamp,step\n5,1\n1767312000,2\n", `f:3:1: timestamp "1767312000" counts from another beginning`, traces.Options{}, ""},
		"nodes": {"JobIDRaw|Partition|State|Submit|Start|End|NodeList\n1|p|COMPLETED|Unknown|2026-01-02T00:00:00|2026-01-02T00:00:01|a[1-99999999]\n",
			`f:2:63: NodeList "a[1-99999999]", expected a list of at most 100000 nodes`, traces.Options{}, ""},
		"column": {"JobIDRaw|State|Start|End\n1|a|b|c\n", "has no column Submit, expected", traces.Options{}, ""},
		"JSON": {`{"reason": "NodeReady", "involvedObject": {"kind": "Node", "name": "a"}, "lastTimestamp": "soon"}`,
			`f:1:91: lastTimestamp "soon", expected an instant`, traces.Options{}, ""},
		"cost": {"line_item_usage_start_date,line_item_usage_type,line_item_unblended_cost\n2026-01-02T00:00:00Z,BoxUsage:a,ten\n",
			`f:2:33: line_item_unblended_cost "ten", expected a number`, traces.Options{}, ""},
		"nothing": {"type,probe\n", "has no known format", traces.Options{}, ""},
	} {
		_, err := formats.ImportRun(c.format, []string{sample(t, "f", c.text)}, c.opt)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\n\texpected %s", name, err, c.want)
		}
		if bad := (*traces.DataError)(nil); err != nil && c.format == "" && !errors.As(err, &bad) {
			t.Errorf("%s: a %T", name, err)
		}
	}
}

// Files of several formats are one run: fleet, progress and bill.
func TestMergedRun(t *testing.T) {
	files := []string{sample(t, "events.jsonl", samples["EventBridge"].text), sample(t, "loss", "1767312005250 2.5 0\n1767312065250 1.5 10\n"),
		sample(t, "bill.csv", samples["cost report"].text), sample(t, "prices.csv", samples["prices that traces know"].text)}
	r, err := formats.ImportRun("", files, traces.Options{TraceID: "mine", InstanceType: "p3.2xlarge", Zone: "us-east-2b"})
	if err != nil {
		t.Fatal(err)
	}
	d := r.Dollars()
	if h := r.Holdings(); len(h) != 1 || h[0].Type != "p3.2xlarge" || h[0].Zone != "us-east-2b" || d.Charges != 3 || d.UnpricedH != 0 ||
		r.Name != "mine" || r.Progress().Steps != 10 {
		t.Errorf("%+v, %+v, %v", h, d, r.Progress())
	}
	relative := sample(t, "t.csv", "timestamp,step\n1,1\n2,2\n")
	if _, err := formats.ImportRun("", append(files, relative), traces.Options{}); err == nil || !strings.Contains(err.Error(), "--start") {
		t.Error(err)
	}
	r, err = formats.ImportRun("", append(files, relative), traces.Options{Start: time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)})
	if err != nil || r.Relative || len(r.Files) != 5 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestRunLocation(t *testing.T) {
	c := samples["requeued job"]
	zone := time.FixedZone("x", 3600)
	r, err := formats.ImportRun("", []string{sample(t, c.name, c.text)}, traces.Options{Location: zone})
	if err != nil || r.Zero != time.Date(2026, 1, 1, 23, 0, 0, 0, time.UTC).UnixMicro() {
		t.Errorf("%v, %v", r.Zero, err)
	}
	r, _ = formats.ImportRun("", []string{sample(t, c.name, c.text)}, traces.Options{})
	if !strings.Contains(strings.Join(r.Notes, ";"), "its times have no zone and were taken as UTC") {
		t.Error(r.Notes)
	}
}

// FuzzRuns reads anything in every format: a sound run, or a complaint of the data.
func FuzzRuns(f *testing.F) {
	for _, c := range samples {
		for i := range formats.RunFormats() {
			f.Add([]byte(c.text), uint8(i))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, format uint8) {
		list := formats.RunFormats()
		name := list[int(format)%len(list)].Name
		if format >= 128 {
			name = ""
		}
		r, err := formats.ImportRun(name, []string{sample(t, "loss", string(data))}, traces.Options{})
		if err != nil {
			if bad := (*traces.DataError)(nil); !errors.As(err, &bad) && !strings.Contains(err.Error(), "no rows in") {
				t.Fatalf("a %T: %v", err, err)
			}
			return
		}
		r.Timeline().Hours()
		r.Dollars()
		for _, f := range list {
			if _, err := formats.ExportRun(f.Name, r, discard{}); err != nil {
				t.Fatal(err)
			}
		}
	})
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
