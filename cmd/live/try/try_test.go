package try

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

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
			Signals: []traces.SignalRow{}, Jobs: []traces.JobRow{}, Gaps: []traces.GapRow{}},
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
