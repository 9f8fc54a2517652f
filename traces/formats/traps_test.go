package formats_test

import (
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

// TestTraps holds the importers to the traps of published traces, in the
// order and by the numbers of specs/traces.md, section 6; the 17th, licences, is the
// catalogue's.
func TestTraps(t *testing.T) {
	for _, trap := range []struct {
		name string
		hold func(*testing.T)
	}{
		{"01_polarity", trapPolarity},
		{"02_written_interval", trapInterval},
		{"03_zones_begin_apart", trapBeginnings},
		{"04_probes_are_not_held", trapProbes},
		{"05_censoring", trapCensoring},
		{"06_no_end", trapNoEnd},
		{"07_AWS_pages", trapAWS},
		{"08_zone_names", trapZoneNames},
		{"09_clocks", trapClocks},
		{"10_disorder", trapDisorder},
		{"11_same_data", trapSameData},
		{"12_placeholders", trapPlaceholders},
		{"13_above_on_demand", trapAboveOnDemand},
		{"14_autoscaled", trapAutoscaled},
		{"15_notice_and_cause", trapNotice},
		{"16_policy_decisions", trapDecisions},
		{"18_privacy", trapPrivacy},
		{"19_pickles", trapPickles},
	} {
		t.Run(trap.name, trap.hold)
	}
}

// countsText is a file of counts at a distance.
func countsText(gap, counts string) string {
	return `{"metadata": {"gap_seconds": ` + gap + `}, "data": [` + counts + `]}`
}

// refused imports files and expects a complaint.
func refused(t *testing.T, want string, opt traces.Options, paths ...string) {
	t.Helper()
	if _, _, err := formats.Import("", paths, opt); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, expected %s", err, want)
	}
}

// noted expects a note of an import.
func noted(t *testing.T, r traces.Report, want string) {
	t.Helper()
	if !strings.Contains(strings.Join(r.Notes, "\n"), want) {
		t.Errorf("notes %q, expected %s", r.Notes, want)
	}
}

func trapPolarity(t *testing.T) {
	counts, table := countsText("300", "1, 0, 0"), "date,availability\n2023-02-15 22:00:00,1\n2023-02-15 22:05:00,0\n2023-02-15 22:10:00,0\n"
	for name, text := range map[string]string{"zone.json": counts, "zone.csv": table, "us-east-1a_v100_1.json": counts} {
		refused(t, "does not say whether 1 means available or preempted", traces.Options{}, tracetest.File(t, name, text))
		for polarity, ones := range map[traces.Polarity]int{traces.OneIsAvailable: 1, traces.OneIsPreempted: 2} {
			s, _ := tracetest.Import(t, "", traces.Options{Polarity: polarity}, tracetest.File(t, name, text))
			if got := describe.Stats(s).Pools[0].Ones; got != ones || s.Manifest.Polarity != string(polarity) {
				t.Errorf("%s, %s: %d of 3 available, expected %d", name, polarity, got, ones)
			}
		}
	}
	s, r := tracetest.Import(t, "", traces.Options{}, tracetest.File(t, "us-east-1a_v100_1.csv", table)) // a layout of one polarity
	if describe.Stats(s).Pools[0].Ones != 1 {
		t.Errorf("%+v", s.Capacity)
	}
	noted(t, r, "1 = available, as the source of this layout")
}

func trapInterval(t *testing.T) {
	path := tracetest.File(t, "z.json", countsText("195", strings.Repeat("1, ", 20157)+"0"))
	for sampling, want := range map[time.Duration]int64{0: 195_000_000, 195350 * time.Millisecond: 195_350_000} {
		s, _ := tracetest.Import(t, "", traces.Options{Polarity: traces.OneIsAvailable, Sampling: sampling}, path)
		if last := s.Capacity[20157]; last.T != 20157*want || last.UncertainUs != want || s.Manifest.SamplingUs != want || s.Manifest.TEndUs != 20158*want {
			t.Errorf("interval %v: last at %d us, within %d us, sampling %d us", sampling, last.T, last.UncertainUs, s.Manifest.SamplingUs)
		}
	}
}

// trapBeginnings has two zones that go up and down together, the second of which
// began to be watched half a period later: side by side they seem to be opposed.
func trapBeginnings(t *testing.T) {
	check := near.Count(t)
	early := strings.TrimSuffix(strings.Repeat("1, 1, 0, 0, ", 50), ", ")
	late := strings.TrimSuffix(strings.Repeat("0, 0, 1, 1, ", 50), ", ")
	a, b := tracetest.File(t, "us-east-1a_v100_1.json", countsText("300", early)), tracetest.File(t, "us-east-1b_v100_1.json", countsText("300", late))
	s, _ := tracetest.Import(t, "", traces.Options{Polarity: traces.OneIsAvailable}, a, b)
	if st := describe.Stats(s); st.CorrelationNote == "" || len(st.Correlations) > 0 || st.AvailabilitySame != nil {
		t.Errorf("aligned by index: %+v", st.Correlations)
	}
	s, _ = tracetest.Import(t, "", traces.Options{Polarity: traces.OneIsAvailable,
		Offsets: map[string]time.Duration{"us-east-1b_v100_1": 600 * time.Second}}, a, b)
	if st := describe.Stats(s); st.AvailabilitySame == nil || check.Off(*st.AvailabilitySame, 1, 1e-9) || len(s.Gaps) != 1 {
		t.Errorf("aligned by the clock: %+v, gaps %+v, expected 1", st.Correlations, s.Gaps)
	}
}

func trapProbes(t *testing.T) {
	path := tracetest.File(t, "z.json", countsText("300", "4, 2, 4, 0"))
	for semantics, caveat := range map[string]bool{"": true, traces.SemanticsLaunchProbe: true, traces.SemanticsHeld: false} {
		s, _ := tracetest.Import(t, "", traces.Options{Polarity: traces.OneIsAvailable, Semantics: semantics}, path)
		if st := describe.Stats(s); st.MTBPCaveat != caveat || st.Lifetimes != nil || st.DropInstances != 6 {
			t.Errorf("%q: caveat %v, lives %+v, %d lost, expected %v, none, 6", semantics, st.MTBPCaveat, st.Lifetimes, st.DropInstances, caveat)
		}
	}
	s, _ := tracetest.Import(t, "", traces.Options{}, tracetest.File(t, "a.json", testutil.Round(0, testutil.Zone("us-east4-a", 16, 16, 0, ""))),
		tracetest.File(t, "b.json", testutil.Round(10, testutil.Zone("us-east4-a", 16, 3, 13, ""))))
	if st := describe.Stats(s); s.Manifest.Semantics != traces.SemanticsLaunchProbe || !st.MTBPCaveat || len(s.InstanceEvents)+len(s.Capacity) > 0 {
		t.Errorf("%s, caveat %v, %+v", s.Manifest.Semantics, st.MTBPCaveat, s.InstanceEvents)
	}
}

func trapCensoring(t *testing.T) {
	s, _ := tracetest.Import(t, "", traces.Options{Polarity: traces.OneIsAvailable, Cap: 16}, tracetest.File(t, "z.json", countsText("600", "16, 15, 16")))
	if c := s.Capacity; !c[0].Censored || c[1].Censored || !c[2].Censored {
		t.Errorf("16 of 16 is censored, 15 is not: %+v", c)
	}
	// One machine is taken after two hours, one is given back after one, and one
	// is there when the observation ends.
	ops := "[" + strings.Join([]string{
		testutil.Operation("insert", "2019-03-11T00:00:00Z", "1", "a", ""), testutil.Operation("compute.instances.preempted", "2019-03-11T02:00:00Z", "1", "a", ""),
		testutil.Operation("insert", "2019-03-11T00:00:00Z", "2", "b", ""), testutil.Operation("stop", "2019-03-11T01:00:00Z", "2", "b", ""),
		testutil.Operation("insert", "2019-03-11T00:00:00Z", "3", "c", ""),
	}, ",") + "]"
	s, _ = tracetest.Import(t, "", traces.Options{End: time.Date(2019, 3, 11, 8, 0, 0, 0, time.UTC)}, tracetest.File(t, "ops.json", ops))
	l := describe.Stats(s).Lifetimes
	if l.N != 3 || l.Preempted != 1 || l.Censored != 2 {
		t.Errorf("%+v, expected one lost and two censored", l)
	}
	tracetest.Near(t, "one of two at risk is lost in six hours, not one of three", l.S6, .5)
}

func trapNoEnd(t *testing.T) {
	check := near.Count(t)
	path := tracetest.File(t, "n.csv", "0,add,a\n3600000,add,b\n")
	s, _ := tracetest.Import(t, "", traces.Options{}, path)
	if p := describe.Stats(s).Pools[0]; p.Hours != 1 || p.TimeAvg != 1 {
		t.Errorf("%v h, average %v: how long two machines were there is not known", p.Hours, p.TimeAvg)
	}
	s, _ = tracetest.Import(t, "", traces.Options{End: time.Unix(3*3600, 0)}, path)
	if p := describe.Stats(s).Pools[0]; p.Hours != 3 || check.Off(p.TimeAvg, 5./3, 1e-12) {
		t.Errorf("%v h, average %v, expected 3 and 5/3", p.Hours, p.TimeAvg)
	}
	refused(t, "end 1970-01-01T00:30:00.000Z is before the last row", traces.Options{End: time.Unix(1800, 0)}, path)
}

func trapAWS(t *testing.T) {
	newest, beat, oldest := testutil.AWSRow("us-east-1b", "1.067100", testutil.T2), testutil.AWSRow("us-east-1b", "1.000000", testutil.T1),
		testutil.AWSRow("us-east-1b", "1.000000", testutil.T0)
	first := tracetest.File(t, "a.json", testutil.AWSPage("", newest, beat))
	other := tracetest.File(t, "b.json", `{"SpotPriceHistory": [`+strings.Replace(beat, `{`, `{"AvailabilityZoneId": "use1-az2", `, 1)+","+oldest+
		`], "NextToken": ""}`)
	empty := tracetest.File(t, "c.json", testutil.AWSPage(""))
	start, _ := time.Parse(time.RFC3339, testutil.T1)
	s, r := tracetest.Import(t, "", traces.Options{Start: start}, first, other, empty)
	if r.Rows != 4 || r.Unique != 3 || r.Duplicates != 1 || r.Heartbeats != 1 || r.Changes != 2 || r.EmptyFiles != 1 || r.OutOfOrder != 0 {
		t.Errorf("%+v", r)
	}
	if p := s.Prices; !p[0].CarryIn || p[1].CarryIn || !p[1].Heartbeat || p[2].Heartbeat || p[2].PriceNanoUSD != 1_067_100_000 || s.Pools[0].ZoneID != "use1-az2" {
		t.Errorf("%+v in %+v", p, s.Pools)
	}
	refused(t, "is the number 1.0671, expected a string", traces.Options{},
		tracetest.File(t, "a.json", testutil.AWSPage("", strings.Replace(newest, `"1.067100"`, "1.0671", 1))))
	cut := tracetest.File(t, "a.json", testutil.AWSPage("tok", newest))
	refused(t, `a.json:1:15: NextToken "tok" is not empty`, traces.Options{}, cut)
	if _, r = tracetest.Import(t, "", traces.Options{AllowTruncated: true}, cut); r.TruncatedAccepted != 1 {
		t.Errorf("%+v", r)
	}
}

// trapZoneNames: us-east-1b of one account is not that of another. Names with
// two IDs are refused, a source of IDs gets no names, and whose names they are is
// kept where it is said.
func trapZoneNames(t *testing.T) {
	withID := func(id, price string) string {
		return tracetest.File(t, "a.json", testutil.AWSPage("", strings.Replace(testutil.AWSRow("us-east-1b", price, testutil.T0), `{`, `{"AvailabilityZoneId": "`+
			id+`", `, 1)))
	}
	refused(t, "zone us-east-1b has the ID use1-az4 here and use1-az2 before: the files come from different accounts", traces.Options{},
		withID("use1-az2", "1"), withID("use1-az4", "1"))
	s, _ := tracetest.Import(t, "", traces.Options{AccountTag: "A"}, withID("use1-az2", "1"))
	if p := s.Pools[0]; p.AccountTag != "A" || p.Zone != "us-east-1b" || p.ZoneID != "use1-az2" {
		t.Errorf("%+v, expected the name of the zone, its ID and the account", p)
	}
}

func trapDisorder(t *testing.T) {
	path := tracetest.File(t, "g.txt", "2021-12-10, 13:00:00, 80\n2021-12-10, 13:02:00, 60\n2021-12-10, 13:01:00, 70\n2021-12-10, 13:02:00, 50\n")
	refused(t, "g.txt:3:1: time goes back", traces.Options{}, path)
	for disorder, want := range map[traces.Disorder]struct{ rows, drops, superseded int }{traces.FileOrder: {4, 2, 0}, traces.SortLastWins: {3, 2, 1}} {
		s, r := tracetest.Import(t, "", traces.Options{Disorder: disorder}, path)
		if st := describe.Stats(s); len(s.Capacity) != want.rows || st.DropEvents != want.drops || r.Superseded != want.superseded || r.OutOfOrder != 1 {
			t.Errorf("%s: %d rows, %d drops, %+v, expected %+v", disorder, len(s.Capacity), st.DropEvents, r, want)
		}
	}
	_, r := tracetest.Import(t, "", traces.Options{}, tracetest.File(t, "jobs.csv", testutil.JobsHead+
		"\n2017-10-09 07:01:55,66.0,1,66.0,a\n2017-10-08 07:01:55,66.0,1,66.0,a\n"))
	if r.OutOfOrder != 1 {
		t.Errorf("%d jobs out of order, expected 1", r.OutOfOrder)
	}
}
