package pools

import (
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/describe"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/tracetest"
)

func TestPolarity(t *testing.T) {
	const text = "date,availability\r\n2023-02-15 22:00:00,0\r\n2023-02-15 22:03:00,1\r\n"
	s, _ := tracetest.Import(t, "", traces.Options{Polarity: traces.OneIsPreempted}, tracetest.File(t, "zone.csv", text))
	if s.Capacity[0].Available != 1 || s.Capacity[1].Available != 0 || s.Pools[0].Name != "zone" {
		t.Errorf("1 = preempted reads %+v in %+v", s.Capacity, s.Pools)
	}
	s, r := tracetest.Import(t, "", traces.Options{}, tracetest.File(t, "us-east-1a_v100_1.csv", text))
	if s.Capacity[0].Available != 0 || s.Pools[0].InstanceType != "p3.2xlarge" || s.Manifest.Polarity != string(traces.OneIsAvailable) || len(r.Notes) == 0 {
		t.Errorf("the known layout reads %+v, %v", s.Capacity, r.Notes)
	}
}

func TestAvailabilityGap(t *testing.T) {
	var b strings.Builder
	b.WriteString("date,availability\n")
	at := time.Date(2023, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range 20 {
		if at = at.Add(time.Minute); i == 10 {
			at = at.Add(time.Hour)
		}
		b.WriteString(at.Format(time.DateTime) + ",1\n")
	}
	s, r := tracetest.Import(t, "", traces.Options{Polarity: traces.OneIsAvailable}, tracetest.File(t, "z.csv", b.String()))
	if r.Gaps != 1 || s.Gaps[0].TEnd-s.Gaps[0].TStart != time.Hour.Microseconds() {
		t.Errorf("gaps %+v", s.Gaps)
	}
	p := describe.Stats(s).Pools[0]
	if p.Hours != 20./60 || *p.Availability != 1 {
		t.Errorf("%v h known, availability %v; the gap is not known", p.Hours, *p.Availability)
	}
	if p.Gaps != 1 || p.GapHours != 1 || r.Bridged != 0 {
		t.Errorf("%d gaps of %v h, %d silences bridged", p.Gaps, p.GapHours, r.Bridged)
	}

	// The same silence under another limit is bridged, which the report says.
	s, r = tracetest.Import(t, "", traces.Options{Polarity: traces.OneIsAvailable, MaxHole: 2 * time.Hour}, tracetest.File(t, "z.csv", b.String()))
	if r.Gaps != 0 || r.Bridged != 1 || r.LongestBridged != 61*time.Minute || describe.Stats(s).Pools[0].GapHours != 0 {
		t.Errorf("%d gaps, %d pauses of up to %v bridged", r.Gaps, r.Bridged, r.LongestBridged)
	}
	if !strings.Contains(r.String(), "1 pauses of up to 1h1m0s between polls, bridged") {
		t.Errorf("%s", r)
	}
}

func TestCountsOptions(t *testing.T) {
	a := tracetest.File(t, "us-east-1a_v100_1.json", `{"data": [4, 0, 2], "metadata": {"gap_seconds": 300, "cloud": "aws"}}`)
	b := tracetest.File(t, "us-east-1b_v100_1.json", `{"metadata": {"gap_seconds": 300.5}, "data": [1]}`)
	s, r := tracetest.Import(t, "", traces.Options{Polarity: traces.OneIsAvailable, Cap: 8, Sampling: 183 * time.Second,
		Offsets: map[string]time.Duration{"us-east-1b_v100_1": time.Hour}}, a, b)
	if got := s.Capacity[2].T; got != 366e6 || s.Capacity[0].Cap != 8 || s.Capacity[3].T != 3600e6 {
		t.Errorf("rows %+v", s.Capacity)
	}
	if len(s.Gaps) != 1 || s.Gaps[0].PoolID != 0 || s.Gaps[0].TStart != 3*183e6 || s.Gaps[0].TEnd != 3783e6 {
		t.Errorf("gaps %+v: the first pool ends before the second", s.Gaps)
	}
	if !strings.Contains(strings.Join(r.Notes, " "), "metadata.cloud") {
		t.Errorf("notes %v", r.Notes)
	}
}

func TestPriceArrays(t *testing.T) {
	zone := tracetest.File(t, "us-east-1a_v100_1.csv", "date,availability\n2023-02-15 22:00:00,1\n2023-02-15 22:03:00,0\n2023-02-15 22:06:00,0\n")
	s, _ := tracetest.Import(t, "", traces.Options{PriceArrays: tracetest.File(t, "p.json", `{"us-east-1a_v100_1": [1.67, 1.67, 1.7]}`)}, zone)
	if len(s.Prices) != 2 || s.Prices[1].PriceNanoUSD != 1_700_000_000 || s.Prices[1].T != s.Capacity[2].T || s.Prices[1].SrcRow != 2 ||
		s.Prices[1].UncertainUs != 180e6 {
		t.Errorf("prices %+v", s.Prices)
	}
	if s.Manifest.Importer.Options.PriceArrays != "p.json" {
		t.Errorf("the manifest says where the file lay: %s", s.Manifest.Importer.Options.PriceArrays)
	}
	for text, want := range map[string]string{
		`{"us-east-1a_v100_1": [1, 2]}`:         "has 3 rows, and",
		`{"other": [1, 2, 3]}`:                  "has 0 prices for us-east-1a_v100_1",
		`{"us-east-1a_v100_1": [1, 2, -3]}`:     `p.json:1:30: price "-3" expected`,
		`{"us-east-1a_v100_1": [1, 2, "3"]}`:    "expected a number",
		`{"us-east-1a_v100_1": [1, 2, 3]} true`: "more text follows",
	} {
		if _, _, err := formats.Import("", []string{zone}, traces.Options{PriceArrays: tracetest.File(t, "p.json", text)}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected %s", text, err, want)
		}
	}
}

func TestGoldenV100Zones(t *testing.T) {
	check := near.Count(t)
	dir := tracetest.Recorded(t, "skynomad-aws-v100-availability")
	var want struct {
		Zones map[string]struct {
			Rows, Ones, Drops int
			First, Last       string
		}
	}
	tracetest.Golden(t, "skynomad-aws-v100-availability", &want)
	s, r := tracetest.Import(t, "", traces.Options{}, dir)
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
			if at, err := time.Parse(time.DateTime, want); err != nil || traces.Stamp(at.UnixMicro()) != got {
				t.Errorf("%s: first or last %s, golden %s", file, got, want)
			}
		}
		if by := float64(w.Ones) / float64(w.Rows); check.Off(*p.Availability, by, .002) {
			t.Errorf("%s: availability %.4f, by ticks %.4f", file, *p.Availability, by)
		}
	}
	if !st.MTBPCaveat || s.Manifest.Semantics != traces.SemanticsBinaryZone || s.Manifest.ClockKind != traces.ClockUnknownTZ {
		t.Errorf("caveat %v, semantics %s, clock %s", st.MTBPCaveat, s.Manifest.Semantics, s.Manifest.ClockKind)
	}
	// Nine zones have .43 and .14 published; these are six of them.
	if check.Outside(*st.AvailabilitySame, .2, .8) || check.Off(*st.AvailabilityCross, 0, .2) {
		t.Errorf("correlation within %.3f, across %.3f", *st.AvailabilitySame, *st.AvailabilityCross)
	}
	t.Logf("availability %.3f, drops %.3f /zone-h, MTBP %.2f h, correlation %.2f/%.2f", *st.Availability, *st.DropsPerHour, *st.MTBPHours,
		*st.AvailabilitySame, *st.AvailabilityCross)
}

func TestV100PriceArrays(t *testing.T) {
	check := near.Count(t)
	dir := tracetest.Recorded(t, "skynomad-aws-v100-availability")
	arrays := tracetest.Recorded(t, "skynomad-aws-v100-prices", "v100_spot_prices.json")
	s, r := tracetest.Import(t, "", traces.Options{PriceArrays: arrays}, dir)
	st := describe.Stats(s)
	for _, w := range []struct {
		zone            string
		over, tolerance float64 // published mean share of on-demand
	}{
		{"us-east-1a", .54, .005}, {"us-east-2a", .304, .003}, {"us-west-2a", .309, .003},
	} {
		p := st.Pools[s.PoolNamed(w.zone+"/p3.2xlarge")].Price
		t.Logf("%s: %.4f of on-demand, %.2f changes a day, steps %.4f %.4f %.4f", w.zone, *p.OverOnDemand, *p.ChangesPerDay, *p.StepMedian, *p.StepP95, *p.StepMax)
		if check.Off(*p.OverOnDemand, w.over, w.tolerance) {
			t.Errorf("%s: price is %.4f of on-demand, published %.3f", w.zone, *p.OverOnDemand, w.over)
		}
	}
	if r.Files != 7 || len(s.Manifest.Source.Files) != 7 {
		t.Errorf("%d files, expected six of availability and one of prices", r.Files)
	}
}

func TestGoldenFourNodes(t *testing.T) {
	check := near.Count(t)
	dir := tracetest.Recorded(t, "skynomad-aws-v100-multinode", "v100_multinode_raw", "4-nodes-real-preemption")
	var want map[string]struct {
		Gap       int64 `json:"gap_seconds"`
		Ticks     int
		Sum       int64
		Max       int
		Events    int `json:"drop_events"`
		Instances int `json:"drop_instances"`
	}
	tracetest.Golden(t, "skynomad-aws-v100-multinode/4-nodes-real-preemption", &want)
	s, _ := tracetest.Import(t, "", traces.Options{Polarity: traces.OneIsAvailable, Semantics: traces.SemanticsHeld}, dir)
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
		if by := float64(w.Sum) / float64(w.Ticks*w.Max); check.Off(*p.Availability, by, 1e-12) {
			t.Errorf("%s: availability %v, golden %v", file, *p.Availability, by)
		}
	}
	if st.CorrelationNote == "" || len(st.Correlations) > 0 {
		t.Errorf("files that do not say when they begin were correlated: %v", st.Correlations)
	}
	if check.Off(*st.MTBPHours, 5.11, .005) || check.Off(*st.DropsPerHour, .325, .0005) {
		t.Errorf("MTBP %.3f h, drops %.4f /zone-h, published 5.11 and .325", *st.MTBPHours, *st.DropsPerHour)
	}
	for size, n := range map[int]int{1: 231, 2: 84, 3: 47, 4: 15} {
		if st.Bulk[size] != n {
			t.Errorf("%d drops of %d machines, published %d", st.Bulk[size], size, n)
		}
	}
}

func TestGoldenGcloud(t *testing.T) {
	file := tracetest.Recorded(t, "bamboo-preemption-traces", "gcloud", "v100x1-east1c.txt")
	var want struct {
		Rows        int
		First, Last string
		Min, Max    int
		NonMonotone int `json:"non_monotone"`
	}
	tracetest.Golden(t, "bamboo-preemption-traces/gcloud/v100x1-east1c.txt", &want)
	if _, _, err := formats.Import("", []string{file}, traces.Options{}); err == nil || !strings.Contains(err.Error(), "v100x1-east1c.txt:4:1: time goes back") {
		t.Errorf("strict: %v, expected a refusal naming line 4", err)
	}
	for _, c := range []struct {
		policy            traces.Disorder
		events, instances int // published for both policies
		rows              int
	}{{traces.FileOrder, 55, 518, want.Rows}, {traces.SortLastWins, 62, 533, want.Rows - 16}} { // 15 instants have several values, one of them three
		s, r := tracetest.Import(t, "", traces.Options{Disorder: c.policy, Cloud: "gcp", Zone: "us-east1-c", GPU: "V100", GPUs: 1}, file)
		p := describe.Stats(s).Pools[0]
		if p.DropEvents != c.events || p.DropInstances != c.instances || p.Rows != c.rows {
			t.Errorf("%s: %d drops of %d instances in %d rows, published %d of %d in %d", c.policy, p.DropEvents, p.DropInstances, p.Rows, c.events, c.instances, c.rows)
		}
		if r.Rows != want.Rows || r.OutOfOrder != want.NonMonotone || p.Min != want.Min || p.Peak != want.Max {
			t.Errorf("%s: rows %d, non-monotone %d, min %d, max %d, golden %+v", c.policy, r.Rows, r.OutOfOrder, p.Min, p.Peak, want)
		}
		first, _ := time.Parse(time.DateTime, want.First)
		last, _ := time.Parse(time.DateTime, want.Last)
		if p.First != traces.Stamp(first.UnixMicro()) || p.Last != traces.Stamp(last.UnixMicro()) {
			t.Errorf("%s: from %s to %s, golden %s to %s", c.policy, p.First, p.Last, want.First, want.Last)
		}
		if s.Pools[0].Region != "us-east1" {
			t.Errorf("region %q of zone us-east1-c", s.Pools[0].Region)
		}
	}
}
