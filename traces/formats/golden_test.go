package formats

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/describe"
)

// shared is the folder of recorded data beside the repository.
const shared = "../../../shared"

// Recorded returns the path of recorded data, and skips the test without it.
func recorded(t testing.TB, path ...string) string {
	t.Helper()
	p := filepath.Join(append([]string{shared, "traces"}, path...)...)
	if _, err := os.Stat(p); err != nil {
		t.Skipf("recorded data is not here: %v", err)
	}
	return p
}

// golden returns an entry of golden.json.
func golden(t testing.TB, entry string, into any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(shared, "oracles", "traces", "golden.json"))
	if err != nil {
		t.Skipf("golden values are not here: %v", err)
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(all[entry], into); err != nil {
		t.Fatalf("%s: %v", entry, err)
	}
}

func mustImport(t testing.TB, format string, opt traces.Options, paths ...string) (*traces.Set, traces.Report) {
	t.Helper()
	s, r, err := Import(format, paths, opt)
	if err != nil {
		t.Fatal(err)
	}
	return s, r
}

// same compares an object of golden.json with the fields of the same names of
// what we report.
func same(t *testing.T, want map[string]any, got any, but ...string) {
	t.Helper()
	text, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var have map[string]any
	if err := json.Unmarshal(text, &have); err != nil {
		t.Fatal(err)
	}
	for name, w := range want {
		if strings.Contains(strings.Join(but, " "), name) {
			continue
		}
		if fmt.Sprint(have[name]) != fmt.Sprint(w) {
			t.Errorf("%s is %v, golden %v", name, have[name], w)
		}
	}
}

func TestGoldenAWSPrices(t *testing.T) {
	dir := recorded(t, "dime-aws-spot-prices")
	var want map[string]any
	golden(t, "dime-aws-spot-prices", &want)
	s, r := mustImport(t, "", traces.Options{AllowTruncated: true}, dir)
	same(t, want, r)
	if len(r.Skipped) != 2 {
		t.Errorf("skipped %v, expected LICENSE and SOURCE.txt", r.Skipped)
	}
	if r.OutOfOrder != 0 {
		t.Errorf("%d rows out of order, the command prints newest first", r.OutOfOrder)
	}
	st := describe.Stats(s)
	changes, beats := 0, 0
	for _, p := range st.Pools {
		changes += p.Price.Changes
		beats += p.Price.Heartbeats
		if r := p.Price.OverOnDemand; r != nil && (*r < .29 || *r > 1.01) {
			t.Errorf("%s: mean price is %.3f of on-demand, published .300 to 1", p.Pool, *r)
		}
	}
	if float64(changes) != want["effective_changes_incl_first"] || float64(beats) != want["heartbeats"] {
		t.Errorf("statistics count %d changes and %d heartbeats, golden %v and %v", changes, beats, want["effective_changes_incl_first"], want["heartbeats"])
	}
	if st.PriceSame == nil || st.PriceCross == nil || *st.PriceSame <= *st.PriceCross {
		t.Errorf("price correlation within %v and across regions %v, expected the former to be larger", st.PriceSame, st.PriceCross)
	} else {
		t.Logf("price correlation within regions %.2f, across %.2f", *st.PriceSame, *st.PriceCross)
	}
}

func TestGoldenAWSTruncated(t *testing.T) {
	page := recorded(t, "dime-aws-spot-prices", "cost", "us-east-1", "p2.xlarge.json")
	_, _, err := Import("aws-spot-price", []string{page}, traces.Options{})
	if err == nil || !strings.Contains(err.Error(), "p2.xlarge.json:2:18: NextToken") {
		t.Errorf("cut page: %v, expected a refusal that names file, line and NextToken", err)
	}
}

func TestGoldenV100Zones(t *testing.T) {
	dir := recorded(t, "skynomad-aws-v100-availability")
	var want struct {
		Zones map[string]struct {
			Rows, Ones, Drops int
			First, Last       string
		}
	}
	golden(t, "skynomad-aws-v100-availability", &want)
	s, r := mustImport(t, "", traces.Options{}, dir)
	st := describe.Stats(s)
	if len(want.Zones) != 6 || len(st.Pools) != 6 || r.Files != 6 || r.Pools != 6 {
		t.Fatalf("%d zones, %d pools, golden %d", len(st.Pools), r.Pools, len(want.Zones))
	}
	for file, w := range want.Zones {
		zone, _, _ := strings.Cut(file, "_")
		p := st.Pools[s.PoolNamed(zone+"/p3.2xlarge")]
		if p.Rows != w.Rows || p.Ones != w.Ones || p.DropEvents != w.Drops {
			t.Errorf("%s: rows %d ones %d drops %d, golden %+v", file, p.Rows, p.Ones, p.DropEvents, w)
		}
		for got, want := range map[string]string{p.First: w.First, p.Last: w.Last} {
			if at, err := time.Parse(dateTime, want); err != nil || traces.Stamp(at.UnixMicro()) != got {
				t.Errorf("%s: first or last %s, golden %s", file, got, want)
			}
		}
		if by := float64(w.Ones) / float64(w.Rows); math.Abs(*p.Availability-by) > .002 {
			t.Errorf("%s: availability %.4f, by ticks %.4f", file, *p.Availability, by)
		}
	}
	if !st.MTBPCaveat || s.Manifest.Semantics != traces.SemanticsBinaryZone || s.Manifest.ClockKind != traces.ClockUnknownTZ {
		t.Errorf("caveat %v, semantics %s, clock %s", st.MTBPCaveat, s.Manifest.Semantics, s.Manifest.ClockKind)
	}
	// Nine zones have .43 and .14 published; these are six of them.
	if *st.AvailabilitySame < .2 || *st.AvailabilitySame > .8 || math.Abs(*st.AvailabilityCross) > .2 {
		t.Errorf("correlation within %.3f, across %.3f", *st.AvailabilitySame, *st.AvailabilityCross)
	}
	t.Logf("availability %.3f, drops %.3f /zone-h, MTBP %.2f h, correlation %.2f/%.2f", *st.Availability, *st.DropsPerHour, *st.MTBPHours, *st.AvailabilitySame, *st.AvailabilityCross)
}

func TestV100PriceArrays(t *testing.T) {
	dir := recorded(t, "skynomad-aws-v100-availability")
	arrays := recorded(t, "skynomad-aws-v100-prices", "v100_spot_prices.json")
	s, r := mustImport(t, "", traces.Options{PriceArrays: arrays}, dir)
	st := describe.Stats(s)
	for _, w := range []struct {
		zone            string
		over, tolerance float64 // published mean share of on-demand
	}{
		{"us-east-1a", .54, .005}, {"us-east-2a", .304, .003}, {"us-west-2a", .309, .003},
	} {
		p := st.Pools[s.PoolNamed(w.zone+"/p3.2xlarge")].Price
		t.Logf("%s: %.4f of on-demand, %.2f changes a day, steps %.4f %.4f %.4f", w.zone, *p.OverOnDemand, *p.ChangesPerDay, *p.StepMedian, *p.StepP95, *p.StepMax)
		if math.Abs(*p.OverOnDemand-w.over) > w.tolerance {
			t.Errorf("%s: price is %.4f of on-demand, published %.3f", w.zone, *p.OverOnDemand, w.over)
		}
	}
	if r.Files != 7 || len(s.Manifest.Source.Files) != 7 {
		t.Errorf("%d files, expected six of availability and one of prices", r.Files)
	}
}

func TestGoldenFourNodes(t *testing.T) {
	dir := recorded(t, "skynomad-aws-v100-multinode", "v100_multinode_raw", "4-nodes-real-preemption")
	var want map[string]struct {
		Gap       int64 `json:"gap_seconds"`
		Ticks     int
		Sum       int64
		Max       int
		Events    int `json:"drop_events"`
		Instances int `json:"drop_instances"`
	}
	golden(t, "skynomad-aws-v100-multinode/4-nodes-real-preemption", &want)
	s, _ := mustImport(t, "", traces.Options{Polarity: traces.OneIsAvailable, Semantics: traces.SemanticsHeld}, dir)
	st := describe.Stats(s)
	if len(want) != 3 || len(st.Pools) != 3 {
		t.Fatalf("%d pools, golden %d", len(st.Pools), len(want))
	}
	for file, w := range want {
		zone, _, _ := strings.Cut(file, "_")
		p := st.Pools[s.PoolNamed(zone+"/p3.2xlarge")]
		if p.Rows != w.Ticks || p.Sum != w.Sum || p.Peak != w.Max || p.DropEvents != w.Events || p.DropInstances != w.Instances {
			t.Errorf("%s: %+v, golden %+v", file, p, w)
		}
		if s.Manifest.SamplingUs != w.Gap*1e6 {
			t.Errorf("sampling %d us, golden %d s", s.Manifest.SamplingUs, w.Gap)
		}
		if by := float64(w.Sum) / float64(w.Ticks*w.Max); math.Abs(*p.Availability-by) > 1e-12 {
			t.Errorf("%s: availability %v, golden %v", file, *p.Availability, by)
		}
	}
	if st.CorrelationNote == "" || len(st.Correlations) > 0 {
		t.Errorf("files that do not say when they begin were correlated: %v", st.Correlations)
	}
	if math.Abs(*st.MTBPHours-5.11) > .005 || math.Abs(*st.DropsPerHour-.325) > .0005 {
		t.Errorf("MTBP %.3f h, drops %.4f /zone-h, published 5.11 and .325", *st.MTBPHours, *st.DropsPerHour)
	}
	for size, n := range map[int]int{1: 231, 2: 84, 3: 47, 4: 15} {
		if st.Bulk[size] != n {
			t.Errorf("%d drops of %d machines, published %d", st.Bulk[size], size, n)
		}
	}
}

func TestGoldenBamboo(t *testing.T) {
	file := recorded(t, "bamboo-preemption-traces", "p3-trace.csv")
	var want map[string]any
	golden(t, "bamboo-preemption-traces/p3-trace.csv", &want)
	s, _ := mustImport(t, "", traces.Options{Semantics: traces.SemanticsAutoscaling}, file)
	st := describe.Stats(s)
	p := st.Pools[0]
	same(t, want, p, "first_ms last_ms hours time_avg other_kinds")
	first, last := s.InstanceEvents[0].T/1000, s.InstanceEvents[len(s.InstanceEvents)-1].T/1000
	if float64(first) != want["first_ms"] || float64(last) != want["last_ms"] {
		t.Errorf("from %d to %d ms, golden %v to %v", first, last, want["first_ms"], want["last_ms"])
	}
	if math.Abs(p.Hours-want["hours"].(float64)) > 5e-4 || math.Abs(p.TimeAvg-want["time_avg"].(float64)) > 5e-4 {
		t.Errorf("%.4f h, average %.4f, golden %v and %v", p.Hours, p.TimeAvg, want["hours"], want["time_avg"])
	}
	if len(want["other_kinds"].([]any)) != 2 { // add and remove, and no other kind would be read
		t.Errorf("golden has the kinds %v", want["other_kinds"])
	}
	if math.Abs(*p.MTBPHours-1.64) > .005 || math.Abs(*p.DropsPerHour-6.95) > .005 || p.MTBPCaveat {
		t.Errorf("MTBP %.3f h, %.3f drops/h, published 1.64 and 6.95", *p.MTBPHours, *p.DropsPerHour)
	}
	if s.Manifest.SamplingUs != 60e6 {
		t.Errorf("grain of the clock %d us, published 60 s", s.Manifest.SamplingUs)
	}
}

func TestGoldenGcloud(t *testing.T) {
	file := recorded(t, "bamboo-preemption-traces", "gcloud", "v100x1-east1c.txt")
	var want struct {
		Rows        int
		First, Last string
		Min, Max    int
		NonMonotone int `json:"non_monotone"`
	}
	golden(t, "bamboo-preemption-traces/gcloud/v100x1-east1c.txt", &want)
	if _, _, err := Import("", []string{file}, traces.Options{}); err == nil || !strings.Contains(err.Error(), "v100x1-east1c.txt:4:1: time goes back") {
		t.Errorf("strict: %v, expected a refusal naming line 4", err)
	}
	for _, c := range []struct {
		policy            traces.Disorder
		events, instances int // published for both policies
		rows              int
	}{{traces.FileOrder, 55, 518, want.Rows}, {traces.SortLastWins, 62, 533, want.Rows - 16}} { // 15 instants have several values, one of them three
		s, r := mustImport(t, "", traces.Options{Disorder: c.policy, Cloud: "gcp", Zone: "us-east1-c", GPU: "V100", GPUs: 1}, file)
		p := describe.Stats(s).Pools[0]
		if p.DropEvents != c.events || p.DropInstances != c.instances || p.Rows != c.rows {
			t.Errorf("%s: %d drops of %d instances in %d rows, published %d of %d in %d", c.policy, p.DropEvents, p.DropInstances, p.Rows, c.events, c.instances, c.rows)
		}
		if r.Rows != want.Rows || r.OutOfOrder != want.NonMonotone || p.Min != want.Min || p.Peak != want.Max {
			t.Errorf("%s: rows %d, non-monotone %d, min %d, max %d, golden %+v", c.policy, r.Rows, r.OutOfOrder, p.Min, p.Peak, want)
		}
		first, _ := time.Parse(dateTime, want.First)
		last, _ := time.Parse(dateTime, want.Last)
		if p.First != traces.Stamp(first.UnixMicro()) || p.Last != traces.Stamp(last.UnixMicro()) {
			t.Errorf("%s: from %s to %s, golden %s to %s", c.policy, p.First, p.Last, want.First, want.Last)
		}
		if s.Pools[0].Region != "us-east1" {
			t.Errorf("region %q of zone us-east1-c", s.Pools[0].Region)
		}
	}
}

const hourUs = int64(3600e6)

// near compares a number that must be there.
func near(t testing.TB, what string, got *float64, want float64) {
	t.Helper()
	if got == nil || math.Abs(*got-want) > 1e-6 {
		t.Errorf("%s is %v, expected %v", what, got, want)
	}
}
