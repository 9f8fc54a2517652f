package formats_test

import (
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/tracetest"
)

// TestSpecExamples imports the vendors' formats from the examples of
// specs/traces.md, sections 2 and 5, with what these leave out filled in.
func TestSpecExamples(t *testing.T) {
	const price = `"effectiveStartDate": "2020-08-01T00:00:00Z", "unitOfMeasure": "1 Hour", "type": "Consumption"`
	for format, c := range map[string]struct {
		file, text string
		opt        traces.Options
	}{
		"aws-spot-price": {"a.json", `{"NextToken": "", "SpotPriceHistory": [` + "\n" +
			`  {"AvailabilityZone": "us-east-1b", "InstanceType": "p3.2xlarge", "ProductDescription": "Linux/UNIX",` + "\n" +
			`   "SpotPrice": "1.067100", "Timestamp": "2020-02-20T22:06:16.000Z"}]}`, traces.Options{}},
		"aws-events": {"a.json", `{"version":"0","id":"a","detail-type":"EC2 Spot Instance Interruption ` +
			`Warning","source":"aws.ec2","account":"1","time":"2021-05-04T17:00:00Z","region":"us-east-2","resources":[],` +
			`"detail":{"instance-id":"i-1","instance-action":"terminate"}}`, traces.Options{}},
		"azure-retail": {"a.json", `{"BillingCurrency":"USD","Items":[{"retailPrice":0.9,"unitPrice":0.9,"armRegionName":"eastus",` +
			`"armSkuName":"Standard_NC6s_v3","skuName":"NC6s v3 Spot","productName":"Virtual Machines NCSv3 Series",` + price +
			`}, {"retailPrice":4E-06,"skuName":"x"}],"NextPageLink":null,"Count":2}`, traces.Options{}},
		"azure-events": {"a.json", `{"DocumentIncarnation":1,"Events":[{"EventId":"a","EventStatus":"Scheduled","EventType":"Preempt",` +
			`"ResourceType":"VirtualMachine","Resources":["vm_0"],"NotBefore":"Tue, 09 Aug 2022 17:07:32 GMT"}]}`, traces.Options{}},
		"azure-daily":    {"a.csv", "Date,NC12,NC12s v2\n2/24/2020,$0.24552,$0.54482\n", traces.Options{}},
		"gcp-operations": {"a.json", "[" + testutil.Operation("compute.instances.preempted", "2019-03-11T00:00:00-07:00", "1", "a", "") + "]", traces.Options{}},
		"gcp-prices": {"a.csv", testutil.GCPPricesHead + "\n01c920ca9bc1,2023-05-08T06:42:48Z,2023-05-08T06:42:47Z,a2-highgpu-1g," +
			"asia-northeast1,4.049590926,1.21219\n", traces.Options{}},
		"prices-csv": {"a.csv", "AvailabilityZone,InstanceType,ProductDescription,SpotPrice,Timestamp\nus-east-1b,p3.2xlarge,Linux/UNIX," +
			"1.067100,2020-02-20 22:06:16+00:00\n", traces.Options{}},
		"counts-json": {"a.json", `{"metadata":{"gap_seconds":195},"data":[0,0,1],"prices":[1.6703,1.6703,1.7]}`,
			traces.Options{Polarity: traces.OneIsAvailable}},
		"availability-csv": {"us-east-1a_v100_1.csv", "date,availability\n2023-02-15 22:08:16,0\n", traces.Options{}},
		"skynomad-probes": {"a.csv", testutil.ProbesHead + "\n2025-10-04T00:10:00.002Z,2025-10-04T00:10:00.005Z,2025-10-04T00:11:25.501Z," +
			"asia-south2-b,16,16,0,\n", traces.Options{}},
		"node-events": {"a.txt", `[0, "add", {"nodes": ["a"]}]` + "\n" +
			`[60000, "migration", {"nodes": [], "duration": 60000, "throughput_opt_strategy": [9, 3]}]`, traces.Options{}},
		"faults": {"a.json", `[{"node_id": "a", "event_time": 3.8955, "event_type": "fault_start", "fault_type": {"Level": "Hardware Failure", ` +
			`"Class": "GPU", "Desc": "GPU xid Error"}}]`, traces.Options{}},
		"step-counts": {"a.csv", "0,0\n21529,0\n21529,4\n", traces.Options{Unit: time.Second}},
		"dime-log":    {"a.out", "[2020-03-15T10:07:33.000Z] Created instance i-0ad1 with 1 GPU(s) of type v100 in zone us-east-1b\n", traces.Options{}},
		"dime-launches": {"2020-02-26T17:03:53.000Z.out", "Zone: us-west1-b, GPU type: nvidia-tesla-v100, Number of GPUs: 1, Price per hour: $0.851\n",
			traces.Options{}},
		"lifetime-csv": {"a.csv", "K80,,\nVM name,Start,Terminate\na-europe-west1-b-0,2/18/19 23:40,2/19/19 23:46\n", traces.Options{}},
		"jobs-csv":     {"a.csv", testutil.JobsHead + "\n2017-10-09 07:01:55,66.0,1,66.0,11cb48\n", traces.Options{}},
	} {
		if s, r, err := formats.Import("", []string{tracetest.File(t, c.file, c.text)}, c.opt); err != nil || r.Format != format || s.Counts().Events() == 0 {
			t.Errorf("%s: %s, %v", format, r.Format, err)
		}
	}
	refused(t, "z.json:1:72: 2 prices for 3 counts", traces.Options{Polarity: traces.OneIsAvailable},
		tracetest.File(t, "z.json", `{"metadata":{"gap_seconds":195},"data":[0,0,1],"prices":[1.6703,1.6703]}`))
}

// TestRefusedNonsense holds what is not one thing or the other to its place.
func TestRefusedNonsense(t *testing.T) {
	small := func(zone, more string) string {
		return `{"region":"us-east-1","availability_zone":"` + zone + `","instance_type":"p3.2xlarge","spot_price":1.5,"timestamp":"2020-02-20 22:00:00"` + more + "}"
	}
	event := testutil.AWSEvent("a", "EC2 Spot Instance Interruption Warning", "i-1", "arn:aws:ec2:us-west-2a:instance/i-1")
	for name, c := range map[string]struct{ text, want string }{
		"region":         {small("eu-west-1a", ""), "zone eu-west-1a is in region eu-west-1, the price says us-east-1"},
		"yuan":           {testutil.AWSTextLine("cn-north-1a", "1", testutil.T0), "a:1:1: prices of zone cn-north-1a are in CNY, expected USD"},
		"euro":           {small("us-east-1a", `,"currency":"EUR"`), `currency "EUR", expected USD`},
		"event's region": {event, `the event is of region "us-east-2", its resource in "us-west-2a"`},
		"plus":           {"0,add,a\n+5,add,b\n", `a:2:1: time "+5", expected a whole number`},
		"quotes":         {"0,add,a\n1,add,a\"b\"\n", "a:2:8: a quote within a field that does not begin with one"},
		"other event":    {`[0, "add", {"nodes": ["a"]}]` + "\n" + `[5, "reboot", {"nodes": []}]`, `a:2:5: event "reboot", expected add`},
		"marked node":    {`[0, "add", {"nodes": ["a"]}]` + "\n" + `[5, "no-op", {"nodes": ["a"]}]`, `a:2:25: node "a" in an event "no-op", expected none`},
		"no nodes":       {`[0, "add", {"duration": 5}]`, "expected a time, what happened, and an object with nodes"},
		"pricing flow": {testutil.PricingYML + "compute:\n  instance:\n    a2:\n      cost:\n        us-east1: {hour_spot: 1}\n",
			"{hour_spot: 1}\", expected hour and hour_spot on lines of their own"},
		"pricing line": {testutil.PricingYML + "compute:\n  instance:\n    a2:\n      cost:\n        \"us-east1\":\n", "expected a key and its value"},
	} {
		_, _, err := formats.Import("", []string{tracetest.File(t, "a", c.text)}, traces.Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\n\texpected %s", name, err, c.want)
		}
	}
	for format, want := range map[string]string{"azure-retail": "no Items", "azure-events": "no Events"} {
		if _, _, err := formats.Import(format, []string{tracetest.File(t, "a", `{"x": 1}`)}, traces.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected %s", format, err, want)
		}
	}
	gavel := example(t, "gavel-jobs")
	if _, _, err := formats.Import("gavel-jobs", []string{tracetest.File(t, "a", strings.Replace(gavel, "-1.000000", "NaN", 1))},
		traces.Options{}); err == nil || !strings.Contains(err.Error(), `objective "NaN", expected a number`) {
		t.Errorf("gavel: %v", err)
	}
}
