package formats_test

import (
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats/tracetest"
)

// trapClocks: what is written as an instant is of many clocks.
func trapClocks(t *testing.T) {
	const table = "date,availability\n2023-02-15 22:00:00,1\n"
	for name, c := range map[string]struct {
		file, text string
		opt        traces.Options
		clock      string
		first      string
	}{
		"fake Z":          {"a.out", testutil.DimeLog, traces.Options{}, traces.ClockUnknownTZ, "2020-03-15T10:00:00.000Z"},
		"no zone":         {"us-east-1a_v100_1.csv", table, traces.Options{}, traces.ClockUnknownTZ, "2023-02-15T22:00:00.000Z"},
		"prices, no zone": {"p.csv", "time,zone,type,price\n2023-02-15 22:00:00,a,b,1\n", traces.Options{}, traces.ClockUnknownTZ, "2023-02-15T22:00:00.000Z"},
		"prices, offset":  {"p.csv", "time,zone,type,price\n2023-02-15 22:00:00+01:00,a,b,1\n", traces.Options{}, traces.ClockUTC, "2023-02-15T21:00:00.000Z"},
		"prices, s":       {"p.csv", "time,zone,type,price\n1676498400.5,a,b,1\n", traces.Options{}, traces.ClockUTC, "2023-02-15T22:00:00.500Z"},
		"prices, mixed": {"p.csv", "time,zone,type,price\n2023-02-15T22:00:00,a,b,1\n2023-02-15T22:00:01Z,a,b,1\n", traces.Options{},
			traces.ClockUnknownTZ, "2023-02-15T22:00:00.000Z"},
		"no zone, T": {"us-east-1a_v100_1.csv", "date,availability\n2023-02-15T22:00:00,1\n", traces.Options{}, traces.ClockUnknownTZ,
			"2023-02-15T22:00:00.000Z"},
		"offset": {"a.json", testutil.AWSPage("", testutil.AWSRow("us-east-1b", "1", "2020-02-20T18:00:00-05:00")), traces.Options{}, traces.ClockUTC,
			"2020-02-20T23:00:00.000Z"},
		"month before day": {"a.csv", "Date,NC6\n3/4/2020,$1\n", traces.Options{}, traces.ClockUnknownTZ, "2020-03-04T00:00:00.000Z"},
		"RFC 1123": {"a.json", `{"DocumentIncarnation": 1, "Events": [{"EventId": "a", "EventType": "Preempt", "Resources": ["vm"], ` +
			`"NotBefore": "Tue, 09 Aug 2022 17:07:32 GMT"}]}`, traces.Options{}, traces.ClockUTC, "2022-08-09T17:07:32.000Z"},
		"ms, late first":    {"n.csv", "480000,add,a\n", traces.Options{}, traces.ClockRelative, "1970-01-01T00:08:00.000Z"},
		"s, late first":     {"n.csv", "480,add,a\n", traces.Options{Unit: time.Second}, traces.ClockRelative, "1970-01-01T00:08:00.000Z"},
		"h, steps":          {"s.csv", "0.5,4\n0.75,3\n", traces.Options{Unit: time.Hour}, traces.ClockRelative, "1970-01-01T00:30:00.000Z"},
		"s since 1970":      {"p.yml", testutil.PricingYML, traces.Options{}, traces.ClockUTC, "2025-03-06T03:53:56.000Z"},
		"relative, started": {"n.csv", "480000,add,a\n", traces.Options{Start: time.Unix(1_600_000_000, 0)}, traces.ClockUTC, "2020-09-13T12:34:40.000Z"},
	} {
		s, r := tracetest.Import(t, "", c.opt, tracetest.File(t, c.file, c.text))
		if s.Manifest.ClockKind != c.clock || r.First != c.first {
			t.Errorf("%s: %s from %s, expected %s from %s", name, s.Manifest.ClockKind, r.First, c.clock, c.first)
		}
	}
	for _, c := range []struct{ file, text, note string }{
		{"us-east-1a_v100_1.csv", table, `us-east-1a_v100_1.csv:2:1: "2023-02-15 22:00:00" has no time zone: times without one are taken as UTC; ` +
			`an offset behind them says another (2023-02-15 22:00:00+01:00)`},
		{"us-east-1a_v100_1.csv", "date,availability\n2023-02-15 22:00:00+01:00,1\n2023-02-15 23:00:00Z,1\n", ""},
		{"p.csv", "zone,type,time,price\na,b,2023-02-15T22:00:00Z,1\na,b,2023-02-15T23:00:00,1\n", `p.csv:3:5: "2023-02-15T23:00:00" has no time zone: `},
		{"a.out", testutil.DimeLog, "times have no time zone in the format "},
	} {
		s, r := tracetest.Import(t, "", traces.Options{}, tracetest.File(t, c.file, c.text))
		said := strings.Join(r.Notes, "\n")
		if c.note == "" && (strings.Contains(said, "time zone") || s.Manifest.ClockKind != traces.ClockUTC || r.First != "2023-02-15T21:00:00.000Z") {
			t.Errorf("%s: %s from %s, notes %q", c.file, s.Manifest.ClockKind, r.First, said)
		}
		if !strings.Contains(said, c.note) {
			t.Errorf("%s: notes %q, expected %q", c.file, said, c.note)
		}
	}
	refused(t, "s.csv:1:1: does not say in which unit its times are", traces.Options{}, tracetest.File(t, "s.csv", "0,4\n60,3\n"))
	// it was a Tuesday
	refused(t, `expected RFC 1123`, traces.Options{}, tracetest.File(t, "a.json", `{"DocumentIncarnation": 1, "Events": [{"EventId": "a", `+
		`"EventType": "Preempt", "Resources": ["vm"], "NotBefore": "Mon, 09 Aug 2022 17:07:32 GMT"}]}`))
	// The clocks go forward between the two: one hour, not two.
	s, _ := tracetest.Import(t, "", traces.Options{}, tracetest.File(t, "ops.json", "["+testutil.Operation("insert", "2019-03-10T01:30:00-08:00",
		"1", "a", "")+","+testutil.Operation("compute.instances.preempted", "2019-03-10T03:30:00-07:00", "1", "a", "")+"]"))
	if h := s.InstanceEvents[1].T - s.InstanceEvents[0].T; h != tracetest.HourUs {
		t.Errorf("%d us, expected an hour", h)
	}
	// A zone that makes it another year.
	for _, text := range []string{"1970-01-01T00:00:00+01:00", "2199-12-31T23:59:59-05:00"} {
		refused(t, `Timestamp "`+text+`" is out of range`, traces.Options{},
			tracetest.File(t, "a.json", testutil.AWSPage("", testutil.AWSRow("us-east-1b", "1", text))))
	}
}
