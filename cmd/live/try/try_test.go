package try

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/traces"
)

// prices are of some days, an hour apart, in two zones.
func prices(days int) []byte {
	var rows []string
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for h := range 24 * days {
		at := begin.Add(time.Duration(h) * time.Hour).Format(time.RFC3339)
		rows = append(rows, testutil.AWSRow("us-east-1a", fmt.Sprintf("%.2f", 1+0.01*float64(h%30)), at), testutil.AWSRow("us-east-1b", "1.5", at))
	}
	return []byte(testutil.AWSPage("", rows...))
}

var job = Job{GPUs: 2, Hours: 4, EveryS: 1800, RestartS: 240, DeadlineH: 6}

// Prices alone get a page with a verdict, and what is printed of three assumptions; the same twice.
func TestRun(t *testing.T) {
	m, err := Read("prices.json", prices(20))
	if err != nil {
		t.Fatal(err)
	}
	text, assumed, err := m.Spec(job)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`path: "prices.json"`, `zone: "us-east-1b"`, "interval_s: 1800", "restart_s: 240",
		"capacity: {typical: band}", "within: 21600s"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the spec lacks %q:\n%s", want, text)
		}
	}
	if !strings.Contains(strings.Join(assumed, "\n"), "preemptions were not recorded") {
		t.Errorf("assumed: %q", assumed)
	}
	if _, err := m.Page(); err == nil {
		t.Error("a page before anything was run")
	}
	run := func() (Answer, string) {
		a, err := m.Run(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		page, err := m.Page()
		if err != nil {
			t.Fatal(err)
		}
		return a, page
	}
	a, page := run()
	if again, twice := run(); page != twice || a != again {
		t.Error("the answer is another one the second time")
	}
	if a.Runs < 3*4*30 || a.Runs > 3*4*40 || !strings.Contains(page, `class="verdict`) || !strings.Contains(a.Assumptions, "under three assumptions") ||
		!strings.Contains(a.Verdict, "USD") {
		t.Errorf("page of %d bytes, said %+v", len(page), a)
	}
}

// The plain CSV of prices is read as well as the JSON of a cloud.
func TestReadCSV(t *testing.T) {
	text := "timestamp,zone,instance_type,price\n2026-01-01T00:00:00Z,us-east-1a,p3.2xlarge,1.0\n2026-01-21T00:00:00Z,us-east-1a,p3.2xlarge,1.2\n"
	m, err := Read("prices.csv", []byte(text))
	if err != nil || len(m.Types) != 1 || m.Types[0].Type != "p3.2xlarge" || m.Hours != 480 {
		t.Errorf("%+v, %v", m, err)
	}
}

// gcpPrices are those of three regions from January, of a fourth from November and of a fifth until March of 2026, those
// of another type from 2025, and of a third type in one region before and in another after July of 2026.
func gcpPrices() []byte {
	rows := []string{"commit,commit_time_utc,generated_utc,machine_type,region,hour_usd,hour_spot_usd"}
	begin := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	for week := range 104 {
		at := begin.AddDate(0, 0, 7*week)
		stamp := at.Format(time.RFC3339)
		add := func(machine, region string, onDemand, spot float64) {
			rows = append(rows, fmt.Sprintf("%d,%s,%s,%s,%s,%g,%g", week, stamp, stamp, machine, region, onDemand, spot))
		}
		add("a2-highgpu-8g", "us-central1", 30, 10)
		if at.Year() < 2026 {
			continue
		}
		add("a3-highgpu-8g", "asia-south2", 106, 74)
		add("a3-highgpu-8g", "us-east4", 89, 16+float64(week%3))
		add("a3-highgpu-8g", "us-central1", 88, 20)
		if at.Month() <= time.July {
			add("g2-standard-96", "us-east4", 8, 2)
		} else {
			add("g2-standard-96", "us-central1", 8, 3)
		}
		if at.Month() <= time.March {
			add("a3-highgpu-8g", "us-west1", 97, 4)
		}
		if at.Month() >= time.November {
			add("a3-highgpu-8g", "europe-west1", 97, 5)
		}
	}
	return []byte(strings.Join(rows, "\n") + "\n")
}

// Prices by region: all regions with them, the cheapest first, from when they have them; and what is written runs.
func TestRegions(t *testing.T) {
	m, err := Read("gcp.csv", gcpPrices())
	if err != nil {
		t.Fatal(err)
	}
	h100 := spec.Accelerator{GPU: "H100", Count: 8}
	for _, c := range []struct {
		name    string
		machine spec.Machine
		zones   []string
		want    []string // in the spec
	}{
		{"all regions", spec.Machine{Accelerator: h100}, []string{"us-east4", "us-central1", "asia-south2"},
			[]string{`from: "2026-01-07T00:00:00Z"`, "on_demand: region", "on_demand_usd_per_h: 106", "europe-west1/a3-highgpu-8g, us-west1/a3-highgpu-8g left out"}},
		{"one cloud and region", spec.Machine{Accelerator: h100, Cloud: "gcp", Region: "us-central1"}, []string{"us-central1"},
			[]string{`from: "2026-01-07T00:00:00Z"`, "on_demand_usd_per_h: 88"}},
		{"one after the other", spec.Machine{Accelerator: spec.Accelerator{GPU: "L4", Count: 8}}, []string{"us-east4"},
			[]string{`from: "2026-01-07T00:00:00Z"`}},
		{"from the beginning", spec.Machine{Accelerator: spec.Accelerator{GPU: "A100", Count: 8}}, []string{"us-central1"},
			[]string{`path: "gcp.csv"}]`}},
	} {
		s := spec.Starter{Hours: 10, Within: 15}
		if err := m.IntoAll(&s, []spec.Machine{{Accelerator: spec.Accelerator{GPU: "V100", Count: 1}}, c.machine}); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		text, _, err := s.Write()
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s: the spec lacks %q:\n%s", c.name, want, text)
			}
		}
		written, err := spec.Parse("mine.yaml", text)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var zones []string
		for i := range written.Market.Pools {
			zones = append(zones, written.Market.Pools[i].Zone)
		}
		if !slices.Equal(zones, c.zones) {
			t.Errorf("%s: pools in %v, want %v", c.name, zones, c.zones)
		}
		study, err := m.Study(written)
		if err == nil {
			err = study.CheckStarts()
		}
		if err == nil {
			err = experiments.CheckAssumptions(written, m.Study)
		}
		if err != nil || slices.ContainsFunc(study.Warnings, func(w string) bool { return strings.Contains(w, "no price is known") }) {
			t.Errorf("%s: %v, %q", c.name, err, study.Warnings)
		}
	}
	var s spec.Starter
	err = m.IntoAll(&s, []spec.Machine{{Accelerator: h100, Cloud: "aws"}})
	if err == nil || !strings.Contains(err.Error(), "no prices of H100:8, aws, expected one of H100:8, A100:8") {
		t.Error(err)
	}
}

// What cannot be run is refused with what was expected.
func TestRefused(t *testing.T) {
	m, err := Read("prices.json", prices(2))
	if err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*Job){
		"multiple of the 1":        func(j *Job) { j.GPUs = 0 },
		"instance type 3":          func(j *Job) { j.Type = 3 },
		"hours on demand":          func(j *Job) { j.Hours = math.NaN() },
		"at least the 4 h":         func(j *Job) { j.DeadlineH = 3 },
		"a checkpoint every":       func(j *Job) { j.EveryS = math.Inf(1) },
		"a restart of":             func(j *Job) { j.RestartS = -1 },
		"expected a longer record": func(j *Job) { j.DeadlineH = 100 },
	} {
		j := job
		change(&j)
		if _, _, err := m.Spec(j); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
	if _, err := Read("big.json", make([]byte, MaxBytes+1)); err == nil || !strings.Contains(err.Error(), "expected at most") {
		t.Error(err)
	}
}

// Packed sets are read as they were, a recorded 0 as 0 and what was not recorded as nothing; a part of the bytes is
// refused.
func TestPacked(t *testing.T) {
	zero := int64(0)
	sets := map[string]*traces.Set{
		"a": {Pools: []traces.Pool{{Zone: "us-east-1a", OnDemandNano: &zero}, {Zone: "us-east-1b"}},
			Prices: []traces.PriceRow{{T: -1, PriceNanoUSD: 1e9, CarryIn: true}}, Capacity: []traces.CapacityRow{},
			Probes: []traces.ProbeRow{{TEnd: &zero}, {}}, InstanceEvents: []traces.InstanceEventRow{},
			Jobs: []traces.JobRow{}, Gaps: []traces.GapRow{}},
	}
	b, err := Packed(sets)
	if err != nil {
		t.Fatal(err)
	}
	got, err := unpacked(b)
	if err != nil || !reflect.DeepEqual(got, sets) {
		t.Errorf("%+v, %v, expected %+v", got["a"], err, sets["a"])
	}
	for n := range b {
		if _, err := unpacked(b[:n]); err == nil {
			t.Fatalf("%d of %d bytes are read without an error", n, len(b))
		}
	}
}
