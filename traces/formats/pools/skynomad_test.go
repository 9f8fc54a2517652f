package pools

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/describe"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/tracetest"
)

func TestProbeRounds(t *testing.T) {
	first := tracetest.File(t, "a.json", testutil.Round(0, testutil.Zone("us-central1-a", 16, 16, 0, testutil.GPUPrice),
		testutil.Zone("us-central1-b", 16, 0, 16, ""), testutil.Zone("us-east4-a", 16, 3, 13, "")))
	second := tracetest.File(t, "b.json", testutil.Round(10, testutil.Zone("us-central1-a", 16, 4, 12, testutil.GPUPrice),
		testutil.Zone("us-central1-b", 16, 0, 0, ""), testutil.Zone("us-east4-a", 16, 3, 13, "")))
	s, r := tracetest.Import(t, "", traces.Options{InstanceType: "a3-highgpu-1g", GPU: "H100", GPUs: 1}, first, second)
	if len(s.Probes) != 6 || s.Manifest.Cap != 16 || s.Manifest.ClockKind != traces.ClockUTC || s.Manifest.Semantics != traces.SemanticsLaunchProbe ||
		s.Manifest.SamplingUs != 600e6 {
		t.Fatalf("%d probes, %+v", len(s.Probes), s.Manifest)
	}
	p := s.Probes[0]
	if traces.Stamp(p.T) != "2025-10-03T07:00:00.002Z" || p.T%1000 != 281 || traces.Stamp(*p.TEnd) != "2025-10-03T07:00:30.000Z" {
		t.Errorf("a round from %s to %s, expected the offset to be taken away", traces.Stamp(p.T), traces.Stamp(*p.TEnd))
	}
	var outcomes []string
	for _, p := range s.Probes {
		outcomes = append(outcomes, s.Pools[p.PoolID].Zone+" "+p.Outcome)
	}
	if got := strings.Join(outcomes, ", "); got != "us-central1-a ok, us-central1-b capacity, us-east4-a partial, us-central1-a partial, "+
		"us-central1-b error, us-east4-a partial" {
		t.Errorf("outcomes %s", got)
	}
	if pool := s.Pools[p.PoolID]; pool.Name != "us-central1-a/a3-highgpu-1g" || pool.Cloud != "gcp" || pool.GPUType != "H100" || pool.GPUCount != 1 ||
		pool.Region != "us-central1" {
		t.Errorf("pool %+v", pool)
	}
	if len(s.Prices) != 2 || s.Prices[0].PriceNanoUSD != 2_253_000_000 || s.Pools[s.Prices[0].PoolID].Product != formats.ProductGPU {
		t.Errorf("prices %+v: expected the GPU's, in a pool of its own, never the machine's", s.Prices)
	}
	if s.Prices[1].UncertainUs != 600e6 || !s.Prices[1].Heartbeat {
		t.Errorf("price %+v, expected one known since the round before", s.Prices[1])
	}
	if notes := strings.Join(r.Notes, "\n"); !strings.Contains(notes, "shape of another machine") || !strings.Contains(notes, "instances_created_ids") {
		t.Errorf("notes %s", notes)
	}
	st := describe.Stats(s)
	q := st.Probes
	if q.Probes != 6 || q.Requested != 96 || q.Fulfilled != 26 || q.Exhausted != 54 || q.Outcomes["partial"] != 3 || !st.MTBPCaveat ||
		st.DropEvents != 1 || st.Bulk[12] != 1 {
		t.Errorf("statistics %+v, %+v", q, st.Falls)
	}
	tracetest.Near(t, "success", q.Success, 26./96)
	tracetest.Near(t, "any", q.AnyShare, 4./6)
	tracetest.Near(t, "all", q.AllShare, 1./6)
	tracetest.Near(t, "availability", st.Availability, 26./96)
}

// What was read comes back from Parquet as it went in.
func TestProbesStored(t *testing.T) {
	s, _ := tracetest.Import(t, "", traces.Options{}, tracetest.File(t, "a.json",
		testutil.Round(0, testutil.Zone("us-central1-a", 16, 5, 11, testutil.GPUPrice))),
		tracetest.File(t, "b.json", testutil.Round(10, strings.Replace(testutil.Zone("us-central1-a", 8, 8, 0, ""), `"capacity_exhausted_detected": 0, `,
			"", 1))))
	dir := t.TempDir()
	if err := s.Write(dir); err != nil {
		t.Fatal(err)
	}
	got, err := traces.Read(dir)
	if err != nil || !reflect.DeepEqual(got, s) {
		t.Errorf("%+v, %v, expected %+v", got, err, s)
	}
}

// A round that is in two files counts once, and must say the same in both.
func TestProbeTwice(t *testing.T) {
	a := tracetest.File(t, "a.json", testutil.Round(0, testutil.Zone("us-central1-a", 16, 5, 11, "")))
	row := "2025-10-03T07:00:00Z,2025-10-03T07:00:00.002Z,2025-10-03T07:00:30.000Z,us-central1-a,16,%d,11,2.25\n"
	s, r := tracetest.Import(t, "", traces.Options{}, a, tracetest.File(t, "p.csv", probesHeader+"\r\n"+fmt.Sprintf(row, 5)))
	if len(s.Probes) != 1 || r.Duplicates != 1 || r.Rows != 2 || s.Pools[0].Name != "us-central1-a" {
		t.Errorf("%d probes in %+v, %+v", len(s.Probes), s.Pools, r)
	}
	_, _, err := formats.Import("", []string{a, tracetest.File(t, "p.csv", probesHeader+"\n"+fmt.Sprintf(row, 6))}, traces.Options{})
	if err == nil || !strings.Contains(err.Error(), "p.csv:2:1: zone us-central1-a: 6 of 16 machines at 2025-10-03T07:00:00.002Z, and 5 of 16 at") {
		t.Errorf("two outcomes of one round: %v", err)
	}
}

// What is asked for may change: a smaller request that is met is no loss.
func TestProbeRequests(t *testing.T) {
	row := "2025-10-03T07:%02d:00Z,2025-10-03T07:%02d:00Z,2025-10-03T07:%02d:30Z,z,%d,%d,,\n"
	text := probesHeader + "\n"
	for i, x := range [][2]int{{16, 12}, {4, 4}, {4, 1}, {8, 8}} {
		text += fmt.Sprintf(row, 10*i, 10*i, 10*i, x[0], x[1])
	}
	s, _ := tracetest.Import(t, "", traces.Options{}, tracetest.File(t, "p.csv", text))
	st := describe.Stats(s)
	if st.DropEvents != 1 || st.DropInstances != 3 || s.Manifest.Cap != 0 || s.Probes[0].Exhausted != nil {
		t.Errorf("%+v, cap %d", st.Falls, s.Manifest.Cap)
	}
}

func TestProbeErrors(t *testing.T) {
	const row = "2025-10-04T00:10:00.002Z,2025-10-04T00:10:00.005Z,2025-10-04T00:11:25.501Z,us-central1-a,"
	csv := func(rest string) string { return probesHeader + "\n" + row + rest + "\n" }
	ok := testutil.Zone("us-central1-a", 16, 16, 0, "")
	for name, c := range map[string]struct{ text, want string }{
		"counts":         {csv("16,17,0,"), "f:2:1: zone us-central1-a: 17 machines came of 16 asked for"},
		"none asked":     {csv("0,0,0,"), "0 machines asked for, expected at least 1"},
		"no count":       {csv(",1,0,"), `f:2:90: instances_requested "", expected a whole number`},
		"negative count": {csv("16,-1,0,"), `f:2:93: instances_created "-1"`},
		"price":          {csv("16,16,0,nan"), `f:2:98: spot_gpu_price_usd_per_gpu_hour "nan"`},
		"fields":         {csv("16,16,0"), "7 fields in"},
		"no offset": {probesHeader + "\n" + strings.Replace(row, "00.005Z", "00.005", 1) + "1,1,0,\n",
			`f:2:26: started_at_utc "2025-10-04T00:10:00.005", expected RFC 3339 with a zone`},
		"ends before": {probesHeader + "\n" + strings.Replace(row, "00:11:25", "00:09:25", 1) + "1,1,0,\n", "ends at 2025-10-04T00:09:25.501Z, before it starts"},
		"only header": {probesHeader + "\n", "no row below the header"},
		"zone name":   {csv("16,16,0,")[:len(probesHeader)+1] + strings.Replace(row, "us-central1-a", "", 1) + "1,1,0,\n", `zone ""`},

		"json counts":    {testutil.Round(0, testutil.Zone("z", 1, 2, 0, "")), "f:1:"},
		"json no counts": {testutil.Round(0, `"z": {"instances_created": 1}`), `zone "z" without instances_requested`},
		"json no start":  {strings.Replace(testutil.Round(0, ok), "started_at", "start", 1), "started_at or ended_at is missing"},
		"json no zones":  {testutil.Round(0), "zone_results is missing or empty"},
		"json currency": {testutil.Round(0, testutil.Zone("z", 1, 1, 0, strings.Replace(testutil.GPUPrice, "USD", "EUR", 1))),
			`price in currency "EUR", expected USD`},
		"json price text": {testutil.Round(0, testutil.Zone("z", 1, 1, 0, strings.Replace(testutil.GPUPrice, "2.253", `"2.253"`, 1))),
			"spot_price_usd_per_hour is the string"},
		"json two":        {testutil.Round(0, ok) + testutil.Round(10, ok), "more text follows the object, expected one round a file"},
		"json zone twice": {testutil.Round(0, ok, ok), `"us-central1-a" is given twice`},
		"json fraction":   {testutil.Round(0, strings.Replace(ok, `_created": 16`, `_created": 1.5`, 1)), `instances_created "1.5"`},
		"json cut":        {testutil.Round(0, ok)[:200], "the JSON ends in the middle"},
	} {
		_, _, err := formats.Import("skynomad-probes", []string{tracetest.File(t, "f", c.text)}, traces.Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\n\texpected %s", name, err, c.want)
		}
	}
	odd := strings.Replace(testutil.GPUPrice, "GPU component", "Machine", 1)
	s, r := tracetest.Import(t, "", traces.Options{}, tracetest.File(t, "f", testutil.Round(0, testutil.Zone("z", 1, 1, 0, odd))))
	if len(s.Prices) != 0 || !strings.Contains(strings.Join(r.Notes, ""), "whose they are is not known") {
		t.Errorf("a price that is not stated to be a GPU's: %+v, %v", s.Prices, r.Notes)
	}
}

// TestH100Probes compares with the published figures (specs/traces.md section
// 2.1): the means of every zone that is here, and what the table of section 1.1
// gives of all 13 zones where all are.
func TestH100Probes(t *testing.T) {
	check := near.Count(t)
	dir := tracetest.Recorded(t, "skynomad-gcp-h100-probes")
	s, r := tracetest.Import(t, "", traces.Options{InstanceType: "a3-highgpu-1g", GPU: "H100", GPUs: 1}, dir)
	st := describe.Stats(s)
	published := map[string]float64{
		"asia-south2-b": .998, "us-central1-a": .926, "us-central1-c": .794, "asia-southeast1-b": .756, "us-east4-a": .748, "us-east4-b": .586, "us-central1-b": .568,
		"us-east5-a": .567, "us-west1-a": .533, "asia-southeast1-c": .526, "europe-west1-c": .412, "us-west1-b": .164, "europe-west3-c": .113,
	}
	gpu := map[string]float64{"us-central1": 2.253, "us-west1": 2.253, "us-east4": 1.7632, "us-east5": 1.9856, "europe-west1": 1.9417,
		"europe-west3": 2.0808, "asia-southeast1": 2.2918, "asia-south2": 8.299}
	zones := 0
	for _, p := range st.Pools {
		if p.Price != nil {
			if want := gpu[p.Region]; p.Price.Changes != 1 || check.Off(p.Price.Min, want, 5e-4) {
				t.Errorf("%s: GPU at %v USD/h in %d steps, published %v, constant", p.Pool, p.Price.Min, p.Price.Changes, want)
			}
			continue
		}
		zones++
		zone, _, _ := strings.Cut(p.Pool, "/")
		if p.Probes.Probes != 2104 || check.Off(*p.Probes.Success, published[zone], 5e-4) {
			t.Errorf("%s: %d probes, success %.4f, published 2104 and %.3f", p.Pool, p.Probes.Probes, *p.Probes.Success, published[zone])
		}
	}
	if s.Manifest.SamplingUs/1e6 != 600 && s.Manifest.SamplingUs/1e6 != 599 {
		t.Errorf("sampling %d us, published 600 s", s.Manifest.SamplingUs)
	}
	if first, last := traces.Stamp(s.Probes[0].T)[:16], traces.Stamp(s.Probes[len(s.Probes)-1].T)[:16]; first != "2025-10-04T00:10" || last != "2025-10-18T16:20" {
		t.Errorf("from %s to %s", first, last)
	}
	if r.Duplicates != 18 && zones < 13 { // two rounds of nine zones lie in a local copy in both forms
		t.Errorf("%d duplicates", r.Duplicates)
	}
	if len(s.Gaps) < zones || (s.Gaps[0].TEnd-s.Gaps[0].TStart)/1e6 != int64((110*time.Minute-10*time.Minute).Seconds()) {
		t.Errorf("%d gaps, the first %v, published one of 110 min between rounds 10 min apart", len(s.Gaps),
			time.Duration(s.Gaps[0].TEnd-s.Gaps[0].TStart)*time.Microsecond)
	}
	// The 13 zones as published; of 9 of them the same sums, worked out apart
	// from this package from the rows of the CSV.
	want, ok := map[int][]float64{
		13: {.592, .767, .436, .823, 3750, 20261, 2.13, 5.4, .235, .044, .235, .086},
		9:  {.6692, .8245, .5287, .8482, 2677, 14092, 2.3979, 5.2641, .2424, .0504, .3846, .0540},
	}[zones]
	if !ok {
		t.Fatalf("%d zones, expected the published 13 or the 9 of the smaller copy", zones)
	}
	share := func(n int) float64 { return float64(n) / float64(st.DropEvents) }
	for i, got := range []float64{*st.Availability, *st.Probes.AnyShare, *st.Probes.AllShare, *st.DropsPerHour, float64(st.DropEvents), float64(st.DropInstances),
		*st.MTBPHours, *st.BulkMean, share(st.Bulk[1]), share(st.Bulk[16]), *st.AvailabilitySame, *st.AvailabilityCross} {
		if check.Off(got, want[i], .003*math.Max(want[i], 1)) {
			t.Errorf("figure %d: %.4f, expected %v", i, got, want[i])
		}
	}
	if !st.MTBPCaveat {
		t.Error("the loss is of what could be launched, expected the caveat")
	}
}
