package formats_test

import (
	"errors"
	"testing"
	"time"

	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/describe"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
	"github.com/marigram/marigram/traces/replay"
)

// fuzz feeds an importer anything. It must return a sound set, or complain of
// the data, and never panic; what it returns must be describable and
// replayable.
func fuzz(f *testing.F, format string, opt traces.Options, seeds ...string) {
	about, err := formats.Named(format)
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(about.Example))
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := textSource(t, "text", data, 64)
		_, _ = formats.Recognised(s) // whatever it seems to be
		if s.Empty() {
			return
		}
		set, _, err := imported(t, format, string(data), opt, 64, 2)
		if _, _, whole := imported(t, format, string(data), opt, read.WindowBytes, 0); errorText(err) != errorText(whole) {
			t.Fatalf("in a small window %v, in a large one %v", err, whole)
		}
		var bad *traces.DataError
		if err != nil {
			if !errors.As(err, &bad) {
				t.Fatalf("a %T, expected a *DataError: %v", err, err)
			}
			return
		}
		describe.Stats(set)
		for _, r := range []replay.Replay{{Adapter: replay.PerEvent, FlatPrice: 1, Notice: time.Minute}, {FlatPrice: 1},
			{Adapter: replay.Unlimited, N: 2, FlatPrice: 1}} {
			trace := replay.New(set)
			if start, end := trace.Span(); end > start && len(set.Pools) > 0 {
				w := replay.Window{From: start + (end-start)/3}
				if _, err := r.Market(trace, w); err != nil && r.Adapter == replay.Unlimited && observed(trace, w.From) {
					t.Fatal(err)
				}
			}
		}
	})
}

// observed reports whether all pools were observed after an instant.
func observed(t *replay.Trace, from int64) bool {
	for i := range t.Pools() {
		if t.PoolEnd(i) <= from {
			return false
		}
	}
	return true
}

func FuzzAWSSpotPrice(f *testing.F) {
	row := testutil.AWSRow("us-east-1b", "1.0", testutil.T0)
	fuzz(f, "aws-spot-price", traces.Options{AllowTruncated: true}, testutil.AWSPage("", row, row), testutil.AWSPage("x", row)+testutil.AWSPage("", row),
		testutil.AWSPage("", row)[:90], `{"SpotPriceHistory": [{}]}`, `{"SpotPriceHistory": [[]]}`, `{"a": [{"b": [[[[`, `{"NextToken": 5}`, `[`, `{} {}`,
		"{\n", `{"SpotPriceHistory":[],}`)
}

func FuzzAWSSpotText(f *testing.F) {
	fuzz(f, "aws-spot-text", traces.Options{AllowTruncated: true, Disorder: traces.SortLastWins}, "tok\n"+testutil.AWSTextLine("us-east-1b", "1", testutil.T0)+
		"None\n", "NEXTTOKEN\tx\n"+testutil.AWSTextLine("a", "1", testutil.T0), "SPOTPRICEHISTORY\ta\tuse1-az1\tb\tc\t1\t"+testutil.T0, "\t\t")
}

func FuzzAWSSpotLines(f *testing.F) {
	fuzz(f, "aws-spot-lines", traces.Options{}, testutil.AWSRow("a", "1", testutil.T0)+"\n", `{"spot_price": 1, "timestamp": "2020-01-01 00:00:00"}`,
		"{}{}", `{"SpotPrice":`)
}

func FuzzAzureRetail(f *testing.F) {
	fuzz(f, "azure-retail", traces.Options{AllowTruncated: true, Disorder: traces.SortLastWins},
		testutil.AzurePage(`"x"`, testutil.AzureItem("a Spot", "Windows", "1", testutil.T0)), `{"Items": [{}]}`, `{"Items": [], "NextPageLink": ""}{}`)
}

func FuzzAzureDaily(f *testing.F) {
	fuzz(f, "azure-daily", traces.Options{}, "Date,a,b\n1/1/1970,$1,\n12/31/2199,,$10000\n", "Date,\n1/1/2020,$1", "Date",
		"Date,a\n1/1/2020,$1\n1/2/2020,$9\n1/3/2020,$1")
}

func FuzzAzureEvents(f *testing.F) {
	fuzz(f, "azure-events", traces.Options{}, `{"DocumentIncarnation": 1, "Events": [{"EventId": "a", "EventType": "Freeze"}]}{"Events": []}`,
		`{"Events": [{"EventId": "a", "EventType": "Preempt", "Resources": [], "NotBefore": ""}]}`)
}

func FuzzGCPPrices(f *testing.F) {
	fuzz(f, "gcp-prices", traces.Options{Disorder: traces.SortLastWins}, testutil.GCPPricesHead+
		"\nc,1970-01-01T00:00:00Z,g,t,r,1.00000000000,10000\nc,2199-01-01T00:00:00Z,g,t,r,9999.9999999999,9999.9999999999\n")
}

func FuzzPricesCSV(f *testing.F) {
	fuzz(f, "prices-csv", traces.Options{Disorder: traces.SortLastWins}, "time,zone,type,price\n1000000000,a,b,0\n9999999999.999999,a,b,10000\n",
		",Timestamp,availability_zone,TYPE,price_usd_per_h,region,currency\n0,2199-12-31 23:59:59.999999-01:00,us-east-1a,b,1,us-east-1,USD\n",
		"price,price,time,zone,type\n1,1,1,1,1\n", "time,zone,type,price")
}

func FuzzGCPPricing(f *testing.F) {
	fuzz(f, "gcp-pricing", traces.Options{Disorder: traces.SortLastWins}, testutil.PricingYML,
		"about:\n timestamp: 9\ncompute:\n  instance:\n   a:\n    cost:\n     r:\n      hour: 1\n      hour_spot: 1\n", "      a:\n  b:\nc: d")
}

func FuzzAWSEvents(f *testing.F) {
	fuzz(f, "aws-events", traces.Options{}, "["+testutil.AWSEvent("a", "EC2 Instance Rebalance Recommendation", "i", "arn:aws:ec2:us-east-2a:instance/i")+
		"]", "[]", "[{}]", `{"detail-type": "x"}{"detail-type": "y"}`)
}

func FuzzCloudTrail(f *testing.F) {
	fuzz(f, "aws-cloudtrail", traces.Options{}, `{"Records": []}`, `{"eventName": "BidEvictedEvent", "eventID": "a", "awsRegion": "r", `+
		`"eventTime": "2021-05-04T17:02:00Z", "serviceEventDetails": {"instanceIdSet": ["i", "i"]}}{"eventName": "x"}`)
}

func FuzzJobsCSV(f *testing.F) {
	fuzz(f, "jobs-csv", traces.Options{}, testutil.JobsHead+"\n2017-10-09 07:01:55,9999999999.999999,1048576,1,x\n1970-01-01 00:00:00,0,0,0,\n",
		testutil.JobsHead+"\n2017-10-09 07:01:55,.,1,,")
}

func FuzzGavelJobs(f *testing.F) {
	fuzz(f, "gavel-jobs", traces.Options{}, "m\tc\td\t-n\t1\t5\t4\t2\t1.5\t10\nm\tc\t-n\t1\t7\t11.25\t2\n", "m\tc\td\t-n\t1\t5\t4\t2\t\t10\n")
}

func FuzzCounts(f *testing.F) {
	fuzz(f, "counts-json", traces.Options{Polarity: traces.OneIsAvailable}, `{"data": [0, 1], "metadata": {"gap_seconds": 0.000001}}`,
		`{"data": [1e9], "metadata": {"gap_seconds": 1}}`, `{"metadata": {"gap_seconds": 9999999}, "data": [1,2,3]}`, `{"data": []}`)
}

func FuzzAvailability(f *testing.F) {
	fuzz(f, "availability-csv", traces.Options{Polarity: traces.OneIsPreempted}, "date,availability\n2023-01-01 00:00:00,1\n2199-12-31 23:59:59,0\n",
		"date,availability\r\n2023-01-01 00:00:00,+1\r\n", ",")
}

func FuzzNodeEvents(f *testing.F) {
	fuzz(f, "node-events", traces.Options{}, "0,add,a\n1,remove,a\n1,add,a\n", "7258118400000,add,a", "0,add,a\n9223372036854775807,add,b", "0,add,\x00")
}

func FuzzFaults(f *testing.F) {
	fault := func(at, kind string) string {
		return `{"node_id": "a", "event_time": ` + at + `, "event_type": "fault_` + kind + `", "fault_type": {"Level": "x", "Class": "GPU"}}`
	}
	fuzz(f, "faults", traces.Options{Cap: 2}, "["+fault("1.5", "start")+","+fault("1.5", "end")+"]", "["+fault("1e300", "start")+"]", "[]", "[{}]",
		"["+fault("2", "start")+","+fault("1", "end")+"]", `[{"node_id": "", "event_time": 0, "event_type": "fault_start"}]`)
}

func FuzzStepCounts(f *testing.F) {
	fuzz(f, "step-counts", traces.Options{Disorder: traces.SortLastWins}, "2021-12-10, 13:07:45, 80\n2021-12-10, 13:06:45, 70\n2021-12-10, 13:07:45, 60",
		"1970-01-01, 00:00:00, 1048577", "2021-12-10,13:07:45,")
}

func FuzzOperations(f *testing.F) {
	ok := testutil.Operation("insert", "2019-03-11T00:00:00Z", "1", "w1", "")
	fuzz(f, "gcp-operations", traces.Options{}, "["+ok+"]", `{"items": [`+ok+`], "nextPageToken": ""}`,
		`{"w": {"instance_data": {"ZONE": "us-west1-a", "PREEMPTIBLE": ""}, "insert": `+ok+`, "x": {}}}`,
		`[{"operationType": "insert", "insertTime": "2199-12-31T23:59:59Z", "targetLink": "/zones//instances/"}]`, `[]`, `{}`, `[{"error": {"errors": []}}]`)
}

func FuzzLifetimes(f *testing.F) {
	fuzz(f, "lifetime-csv", traces.Options{}, testutil.Lifetimes, "a\n1:00:00\n", "a\nb,12/31/68 00:00,1/1/69 00:00\n", "a\n,,999999999:59:59")
}

func FuzzDimeLaunches(f *testing.F) {
	fuzz(f, "dime-launches", traces.Options{Start: time.Unix(1e9, 0)}, "Zone: us-west1-b, GPU type: -, Number of GPUs: 999, Price per hour: "+
		"$0.1\nZone: ,, GPU type: a")
}

func FuzzDimeLog(f *testing.F) {
	fuzz(f, "dime-log", traces.Options{}, testutil.DimeLog, "[2000-01-01T0:00:00Z] Created instance 0 with 1 GPU(s) of type 0 in zone "+
		"0\n[2000-01-01T0:00:10Z] Created instance 1 with 1 GPU(s) of type 0 in zone 1",
		"[2020-03-15T10:00:00.000Z] Instance with 1 GPU(s) of type k80 creation failed\n", "[2020-03-01T10:00:00.000Z] Instance a creation "+
			"failed\n[2020-03-01T10:00:00.000Z] Instance a not running in zone us-west1-b\n",
		"[2199-12-31T23:59:59Z] Created instance i with 999 GPU(s) of type - in zone z\n[2199-12-31T23:59:59Z] Successfully deleted instance i\n")
}

func FuzzSkyNomad(f *testing.F) {
	fuzz(f, "skynomad-probes", traces.Options{}, testutil.Round(0, testutil.Zone("us-central1-a", 16, 4, 12, testutil.GPUPrice), testutil.Zone("b", 1, 1, 0, "")),
		`{"zone_results": {"": {}}}`,
		`{"zone_results": {"a": {"instances_requested": 1, "instances_created": 1}}, "started_at": "2025-01-01T00:00:00Z", "ended_at": "2024-01-01T00:00:00Z"}`,
		testutil.ProbesHead+"\n", testutil.ProbesHead+"\n1970-01-01T00:00:00Z,1970-01-01T00:00:00Z,2199-12-31T23:59:59Z,z,1048576,0,,0.000000001\n")
}

func FuzzMinimalJobs(f *testing.F) {
	const head = "job_id,submit_s,gpus,duration_s,kind,gpu_type,steps,weight,deadline_s,user,vc,status,cpus,memory_gb,tasks,spot,duration_on\n"
	fuzz(f, "jobs-minimal", traces.Options{}, head+"0,0,0.5,1,a,b|c,5,1,9,u,v,s,1,2,1,1,b\n1,7258118400,1,1,,,,,,,,,,,,0,\n",
		"duration_s,gpus,submit_s,job_id\n1e300,1,1,a", head+"0,-0,1,NaN,,,,,,,,,,,,,")
}

func FuzzTiresiasJobs(f *testing.F) {
	fuzz(f, "tiresias-jobs", traces.Options{}, "job_id,num_gpu,submit_time,iterations,model_name,duration,interval,iteration_time\n0,1,1,1,m,5,"+
		"0,1\n1,1,0,1,m,0,0,1\n")
}

func FuzzPhillyJobs(f *testing.F) {
	fuzz(f, "philly-jobs", traces.Options{}, `[{"jobid": "a", "attempts": [], "submitted_time": null}, {"jobid": "b", "submitted_time": `+
		`"None", "attempts": [{"start_time": "", "end_time": null, "detail": []}]}]`,
		`[{"jobid": "a", "submitted_time": "2017-11-05 01:00:00", "attempts": [{"start_time": "2017-11-05 01:50:00", "end_time": "2017-11-05 `+
			`01:10:00", "detail": [{"gpus": ["x"]}]}]}]`)
}
