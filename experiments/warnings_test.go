package experiments

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/experiments/market"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/sim"
)

// minutes is an availability trace that begins at an instant: a machine in each
// of n minutes, those from hole to its end not looked at.
func minutes(start time.Time, n int, hole ...int) string {
	var out strings.Builder
	out.WriteString("date,availability\n")
	for k := range n {
		if len(hole) == 2 && k >= hole[0] && k < hole[1] {
			continue
		}
		out.WriteString(start.Add(time.Duration(k)*time.Minute).Format(time.DateTime) + ",1\n")
	}
	return out.String()
}

// awsPrice is a page of prices of one zone that says 3.60 USD/h at some instants.
func awsPrice(at ...string) string {
	var rows []string
	for _, t := range at {
		rows = append(rows, `{"AvailabilityZone": "z-1a", "InstanceType": "x.large", "ProductDescription": "Linux/UNIX", "SpotPrice": "3.600000", `+
			`"Timestamp": "`+t+`.000Z"}`)
	}
	return `{"SpotPriceHistory": [` + strings.Join(rows, ",\n") + `]}`
}

// A doubt about a stretch of the trace is one about the runs that meet it: the
// price is known from minute 10, nobody looked from minute 101 until 140, and a job
// of 2000 mini-batches of a second each runs for half an hour.
func TestDoubtsOfTheRunsThatMeetThem(t *testing.T) {
	dir, write := ownModel(t)
	start := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	page := awsPrice("2024-01-01T04:00:00", "2024-01-01T00:10:00", "2024-01-01T00:00:00")
	at := strings.LastIndex(page, "z-1a") // the first price is that of another zone
	write("prices.json", page[:at]+"z-1b"+page[at+4:])
	write("counts.csv", minutes(start, 300, 101, 140))
	write("spec.yaml", `name: x
seeds: 2
horizon_s: 7200
model: {profile: profile.csv, coefficients: coefficients.csv}
objectives: [{loss: 0.5, time_s: 2400}]
policies: [{name: reactive}]
market:
  boot: {median_s: 0}
  traces:
    - {name: prices, path: prices.json}
    - {name: counts, path: counts.csv, polarity: 1=available}
  pools:
    - {type: x.large, quota: 1, prices: {trace: prices, pool: z-1a/x.large}, capacity: {trace: counts}}
`)
	s, err := spec.Open(filepath.Join(dir, "spec.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	markets, err := market.Whole(s)
	if err != nil {
		t.Fatal(err)
	}
	study, err := NewStudyOn(s, markets)
	if err != nil {
		t.Fatal(err)
	}
	const (
		unpriced = "z-1a/x.large: no price is known for the first 10m0s of the trace"
		unseen   = "z-1a/x.large, capacity: nothing is known for 39m0s of the trace"
	)
	for _, w := range []string{unpriced, unseen} {
		if !strings.Contains(strings.Join(study.Warnings, "\n"), w) {
			t.Errorf("the study warns of %q, expected %q among it", study.Warnings, w)
		}
	}
	for start, want := range map[int]string{0: unpriced, 9: unpriced, 10: "", 66: "", 80: unseen, 110: unseen, 140: ""} {
		row, err := study.Worker().Run(Case{Seed: 1, Start: time.Duration(start) * time.Minute})
		if err != nil || !row.Finished {
			t.Fatal(row, err)
		}
		for _, w := range []string{unpriced, unseen} {
			if strings.Contains(row.Warnings, w) != (w == want) {
				t.Errorf("from minute %d for %v s: warnings %q, expected %q of the two", start, *row.FinishS, row.Warnings, want)
			}
		}
	}
}

// A constant price is known throughout, whatever the trace of capacity has gaps.
func TestConstantPriceHasNoGaps(t *testing.T) {
	dir, write := ownModel(t)
	write("counts.csv", minutes(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC), 300, 101, 140))
	write("spec.yaml", `name: x
horizon_s: 7200
model: {profile: profile.csv, coefficients: coefficients.csv}
objectives: [{loss: 0.5, time_s: 2400}]
policies: [{name: reactive}]
market:
  traces: [{name: counts, path: counts.csv, polarity: 1=available}]
  pools:
    - {type: x.large, quota: 1, prices: {usd_per_h: 0.9}, capacity: {trace: counts}}
`)
	s, err := spec.Open(filepath.Join(dir, "spec.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	markets, err := market.Whole(s)
	if err != nil {
		t.Fatal(err)
	}
	during := slices.Collect(markets.WarningsDuring(0, sim.Time(0).Add(5*time.Hour)))
	warnings := strings.Join(during, "\n")
	if strings.Contains(warnings, ", prices: nothing is known") {
		t.Errorf("a constant price is said to have gaps: %s", warnings)
	}
	if !strings.Contains(warnings, ", capacity: nothing is known for 39m0s of the trace") {
		t.Errorf("warnings %q, expected the gap of the capacity", warnings)
	}
}

// Traces that begin apart on the calendar are laid together, with a warning
// unless their froms say so.
func TestTracesApart(t *testing.T) {
	dir, write := ownModel(t)
	write("may1.json", awsPrice("2024-05-03T00:00:00", "2024-05-01T00:00:00"))
	write("may2.csv", minutes(time.Date(2024, 5, 2, 0, 0, 0, 0, time.UTC), 600))
	write("events.csv", "0,add,a\n36000000,remove,a\n")
	const of = ", capacity: {trace: counts}"
	for _, c := range []struct {
		prices, counts, of string // more of each trace, and of the pool
		warned             bool
	}{
		{"", "", of, true},
		{"", ", from: 2024-05-02T01:00:00Z", of, true},
		{", from: 2024-05-02T00:00:00Z", "", of, false},
		{", from_s: 86400", "", of, false},
		{", from: 2024-05-01T00:00:00Z", ", from: 2024-05-02T00:00:00Z", of, false},
		{"", "", "", false}, // counts are not replayed
		{"", "", ", capacity: {trace: events}, replay: {adapter: per_event}", false}, // on a clock of their own
	} {
		write("spec.yaml", fmt.Sprintf(`name: x
model: {profile: profile.csv, coefficients: coefficients.csv}
objectives: [{loss: 0.5, time_s: 2400}]
policies: [{name: reactive}]
market:
  traces:
    - {name: prices, path: may1.json%s}
    - {name: counts, path: may2.csv, polarity: 1=available%s}
    - {name: events, path: events.csv}
  pools:
    - {type: x.large, quota: 1, prices: {trace: prices}%s}
`, c.prices, c.counts, c.of))
		s := study(t, filepath.Join(dir, "spec.yaml"), 1)
		row := runStudy(t, s).Summaries[0]
		if warned := strings.Contains(row.Warnings, "apart on the calendar, but together in the run"); warned != c.warned {
			t.Errorf("%+v: warnings %q", c, row.Warnings)
		}
		unzoned := c.of == of && (c.prices == "" || c.counts == "") // the prices have a zone, the counts none
		if warned := strings.Contains(row.Warnings, "times of the trace counts have no time zone"); warned != unzoned {
			t.Errorf("%+v: warnings %q", c, row.Warnings)
		}
		if c.prices+c.counts == "" && c.warned && !strings.Contains(row.Warnings,
			"prices (from 2024-05-01T00:00:00Z) and counts (from 2024-05-02T00:00:00Z) start 24h0m0s apart") {
			t.Errorf("warnings %q, expected both first instants", row.Warnings)
		}
	}
}

// Rounds in which a job that was stopped does nothing but restart are warned of, with the line and a length that does:
// under each scheduler that gives GPUs out in rounds, and no other.
func TestRoundsShorterThanRestarts(t *testing.T) {
	const text = `name: rounds
horizon_s: 86400
market: {servers: [{gpu: V100, gpus: 4}]}
jobs: {trace: jobs.csv}
model: {gang: {restart_s: 300}}
policies:
  - name: `
	const jobs = "job_id,submit_s,gpus,duration_s\na,0,4,7200\nb,0,4,7200\n"
	rounds := 0
	for _, name := range gangSchedulers() {
		study, err := openCluster(t, text+name+"\n", jobs)
		if err != nil {
			continue // it needs GPUs on demand
		}
		said := strings.Join(study.Warnings, "\n")
		if strings.Contains(said, "spec.yaml:7:9: policies[0]: policy "+name+" gives GPUs out anew every 360 s "+
			"(round_s), and a job that was stopped restarts for 300 s (model.gang.restart_s): "+
			"one of several jobs that take turns trains in what is left of it; set round_s to 3000 or more") {
			rounds++
		}
		study, err = openCluster(t, strings.Replace(text, "300", "400", 1)+name+"\n", jobs)
		if err != nil {
			t.Fatal(err)
		}
		run, err := study.Worker().Record(Case{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		warned := strings.Contains(strings.Join(study.Warnings, "\n"), "never trains; set round_s to 4000 or more")
		if useful := run.Summaries[0].UsefulH; useful < 14 && !warned {
			t.Errorf("%s: %v useful hours of jobs that take 16 GPU-hours, and no warning", name, useful)
		}
	}
	if rounds < 5 {
		t.Errorf("%d schedulers with rounds, expected Gavel's five", rounds)
	}
}
