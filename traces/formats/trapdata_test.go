package formats_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/describe"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/tracetest"
	"github.com/marigram/marigram/traces/internal/series"
	"github.com/marigram/marigram/traces/replay"
)

// trapSameData: copies of one observation. Parcae's count is Bamboo's list of
// machines; the catalogue names the original of each copy.
func trapSameData(t *testing.T) {
	counts, _ := tracetest.Import(t, "", traces.Options{Unit: time.Millisecond}, tracetest.Recorded(t, "parcae-traces", "p3.csv"))
	machines, _ := tracetest.Import(t, "", traces.Options{}, tracetest.Recorded(t, "bamboo-preemption-traces", "p3-trace.csv"))
	a, b := series.CapacitySteps(counts.Capacity), series.EventSteps(machines.InstanceEvents)
	if len(a) == 0 || len(a) != len(b) {
		t.Fatalf("%d and %d steps", len(a), len(b))
	}
	for i := range a {
		if a[i] != b[i] {
			t.Fatalf("step %d: %v and %v", i, a[i], b[i])
		}
	}
}

// trapPlaceholders: numbers that were not observed are kept with a note or left
// out with one.
func trapPlaceholders(t *testing.T) {
	flat := strings.Replace(countsText("300", "1, 0, 1"), `]}`, `], "prices": [0.918, 0.918, 0.918]}`, 1)
	s, r := tracetest.Import(t, "", traces.Options{Polarity: traces.OneIsAvailable}, tracetest.File(t, "z.json", flat))
	noted(t, r, "z.json: the price is 0.918000 USD/h at all 3 polls: it may be a placeholder")
	if len(s.Prices) != 1 {
		t.Errorf("%+v", s.Prices)
	}
	s, r = tracetest.Import(t, "", traces.Options{Polarity: traces.OneIsAvailable}, tracetest.File(t, "z.json", strings.Replace(flat, "0.918]", "0.919]", 1)))
	if len(s.Prices) != 2 || strings.Contains(strings.Join(r.Notes, " "), "placeholder") {
		t.Errorf("a price that moves: %+v, %q", s.Prices, r.Notes)
	}
	s, r = tracetest.Import(t, "", traces.Options{}, tracetest.File(t, "a.csv", "Date,NC24s v2\n2/25/2020,$0.99\n2/26/2020,$9.936\n2/27/2020,$0.99\n"))
	noted(t, r, "a.csv:3:11: price 9.936000 of Standard_NC24s_v2 stands out")
	if len(s.Prices) != 3 {
		t.Errorf("a slip is kept: %+v", s.Prices)
	}
	s, r = tracetest.Import(t, "", traces.Options{}, tracetest.File(t, "2020-02-26T17:03:53.000Z.out",
		"Zone: us-west1-b, GPU type: nvidia-tesla-v100, Number of GPUs: 8, Price per hour: $6.808\n"))
	noted(t, r, "constants of the script")
	if len(s.Prices) != 0 {
		t.Errorf("prices of a script: %+v", s.Prices)
	}
	s, r = tracetest.Import(t, "", traces.Options{}, tracetest.File(t, "a.json", testutil.Round(0, testutil.Zone("us-east4-a", 16, 16, 0, testutil.GPUPrice))))
	noted(t, r, "summed from the shape of another machine")
	if len(s.Prices) != 1 || s.Prices[0].PriceNanoUSD != 2_253_000_000 || s.Pools[s.Prices[0].PoolID].Product != formats.ProductGPU {
		t.Errorf("18.979 is no price of the machine asked for: %+v", s.Prices)
	}
	_, r = tracetest.Import(t, "", traces.Options{}, tracetest.File(t, "p.yml", testutil.PricingYML))
	noted(t, r, "where a GPU is not sold")
}

// trapAboveOnDemand: the bidding era's tenfold, and a price at on-demand.
func trapAboveOnDemand(t *testing.T) {
	s, r := tracetest.Import(t, "", traces.Options{End: time.Date(2020, 2, 21, 12, 0, 0, 0, time.UTC)}, tracetest.File(t, "a.json",
		testutil.AWSPage("", testutil.AWSRow("us-east-2c", "30.600000", testutil.T1), testutil.AWSRow("us-east-2c", "3.060000", testutil.T0))))
	if p := describe.Stats(s).Pools[0].Price; *p.MinOver != 1 || *p.MaxOver != 10 || len(r.Notes) > 0 {
		t.Errorf("%v to %v of on-demand, notes %q, expected 1 to 10 without a doubt", *p.MinOver, *p.MaxOver, r.Notes)
	}
	if _, err := (replay.Replay{Adapter: replay.Unlimited, N: 4}).Market(replay.New(s), replay.Window{From: s.Manifest.TStartUs}); err != nil {
		t.Error(err)
	}
}

// trapAutoscaled: of a pool whose target is not recorded there is no share of
// what was asked for.
func trapAutoscaled(t *testing.T) {
	s, _ := tracetest.Import(t, "", traces.Options{Semantics: traces.SemanticsAutoscaling},
		tracetest.File(t, "n.csv", "0,add,a\n0,add,b\n60000,remove,b\n120000,add,c\n"))
	st := describe.Stats(s)
	if st.Availability != nil || st.Pools[0].Availability != nil || s.Manifest.Cap != 0 || st.Semantics != traces.SemanticsAutoscaling || st.DropInstances != 1 {
		t.Errorf("availability %v, cap %d, %s, %d lost", st.Availability, s.Manifest.Cap, st.Semantics, st.DropInstances)
	}
	_, r := tracetest.Import(t, "", traces.Options{Semantics: traces.SemanticsAutoscaling, Unit: time.Second}, tracetest.File(t, "s.csv", "0,8\n60,6\n"))
	noted(t, r, "cap not stated: the largest count of each file is taken")
}

// trapNotice: no source says how long before its end a machine was warned, and
// only Google's operations say why it ended; faults are failures.
func trapNotice(t *testing.T) {
	opt := traces.Options{Polarity: traces.OneIsAvailable, Unit: time.Second, Start: time.Unix(0, 0), End: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)}
	events := 0
	for _, f := range formats.Formats(formats.Market, formats.Jobs) {
		s, _ := tracetest.Import(t, f.Name, opt, tracetest.File(t, "2020-02-26T17:03:53.000Z.out", f.Example))
		for _, e := range s.InstanceEvents {
			failed := f.Name == "faults" && e.Kind == traces.KindTerminate && e.Reason == traces.ReasonHostError
			if events++; e.NoticeUs != nil || e.Reason != traces.ReasonUnknown && !failed {
				t.Errorf("%s: %+v", f.Name, e)
			}
		}
	}
	if events == 0 {
		t.Error("no format has an event")
	}
	s, _ := tracetest.Import(t, "", traces.Options{}, tracetest.File(t, "n.csv", "0,add,a\n60000,remove,a\n"))
	for _, notice := range []time.Duration{0, 30 * time.Second} {
		r := replay.Replay{Adapter: replay.PerEvent, Notice: notice, FlatPrice: 1}
		h, _, err := r.Traces(replay.New(s), replay.Window{})
		if err != nil || h[0].Notice != notice || !strings.Contains(r.String(), "notice="+fmt.Sprint(notice.Seconds())+"s") {
			t.Errorf("%s, %v: the notice is the replay's, and in its name", r, err)
		}
	}
}

// trapDecisions: of what Parcae's planner wrote only the machines are read, and
// what was made or edited does not count as seen.
func trapDecisions(t *testing.T) {
	const text = `[0, "add", {"nodes": ["a", "b"], "duration": 60000, "throughput_opt_strategy": [2, 1]}]` + "\r\n" +
		`[60000, "migration", {"nodes": [], "duration": 60000}]` + "\r\n" + `[120000, "remove", {"nodes": ["b"], "duration": 60000}]` + "\r\n" +
		`[180000, "no-op", {"nodes": [], "duration": 60000}]`
	s, r := tracetest.Import(t, "", traces.Options{}, tracetest.File(t, "seg.txt", text))
	if st := describe.Stats(s); len(s.InstanceEvents) != 3 || st.Hours != 4./60 || st.DropInstances != 1 {
		t.Errorf("%v h, %+v", st.Hours, s.InstanceEvents)
	}
	noted(t, r, `ignored: 1 "migration", 1 "no-op"`)
	noted(t, r, "not kept: throughput_opt_strategy")
	s, _ = tracetest.Import(t, "", traces.Options{}, tracetest.File(t, "seg.txt", "[0, \"add\", {\"nodes\": [\"a\"]}]\n[90000, \"DONE\", {\"nodes\": []}]\n"))
	if s.Manifest.TEndUs != 90e6 {
		t.Errorf("ends at %d us, expected where it is DONE", s.Manifest.TEndUs)
	}
}

// trapPrivacy: nothing that names somebody comes as far as the tables.
func trapPrivacy(t *testing.T) {
	for text, secret := range map[string]string{
		"[" + testutil.Operation("insert", "2019-03-11T00:00:00Z", "1", "a", "") + "]":                                             "example.org",
		"[" + testutil.Operation("insert", "2019-03-11T01:00:00Z", "1", "a", "") + "]":                                             "projects/secret",
		testutil.AWSEvent("a", "EC2 Spot Instance Interruption Warning", "i-1", "arn:aws:ec2:us-east-2:123456789012:instance/i-1"): "123456789012",
	} {
		s, _ := tracetest.Import(t, "", traces.Options{}, tracetest.File(t, "a.json", text))
		all, err := json.Marshal(s)
		if err != nil || bytes.Contains(all, []byte(secret)) {
			t.Errorf("the set holds %s (%v)", secret, err)
		}
	}
}

// trapPickles: the bidding era's prices are Python pickles, which could run
// anything. No importer takes them.
func trapPickles(t *testing.T) {
	const pickle = "(dp0\nS'us-east-1a'\np1\n(lp2\n(F1425168000.0\nF0.065\ntp3\nacposix\nsystem\n(S'true'\ntRs."
	refused(t, "has no known format", traces.Options{}, tracetest.File(t, "prices.pkl", pickle))
	for _, f := range formats.Formats() {
		if _, err := content(t, &f, tracetest.File(t, "prices.pkl", pickle), traces.Options{Polarity: traces.OneIsAvailable,
			Unit: time.Second, Start: time.Unix(0, 0)}); err == nil {
			t.Errorf("%s took a pickle", f.Name)
		}
	}
}
