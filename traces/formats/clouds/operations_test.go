package clouds

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/describe"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
	"github.com/marigram/marigram/traces/formats/tracetest"
)

func TestOperations(t *testing.T) {
	const full = `, "error": {"errors": [{"message": "none left", "code": "ZONE_RESOURCE_POOL_EXHAUSTED", "x": []}]}`
	list := "[" + strings.Join([]string{
		testutil.Operation("compute.instances.preempted", "2019-03-10T03:30:00.250-07:00", "11", "w1", ""),
		testutil.Operation("insert", "2019-03-10T01:30:00.250-08:00", "11", "w1", ""), // the clocks go forward between the two
		testutil.Operation("delete", "2019-03-10T03:31:00-07:00", "11", "w1", ""),
		testutil.Operation("insert", "2019-03-10T04:00:00-07:00", "12", "w1", ""), // the name again, another machine
		testutil.Operation("stop", "2019-03-10T05:00:00-07:00", "12", "w1", ""),
		testutil.Operation("insert", "2019-03-10T04:30:00-07:00", "13", "w2", full),
		testutil.Operation("setLabels", "2019-03-10T04:31:00-07:00", "12", "w1", ""),
		strings.Replace(testutil.Operation("insert", "2019-03-10T04:32:00-07:00", "14", "d1", ""), "instances", "disks", 1),
		strings.Replace(testutil.Operation("insert", "2019-03-10T04:33:00-07:00", "15", "w3", ""), "DONE", "RUNNING", 1),
		testutil.Operation("stop", "2019-03-10T05:00:00-07:00", "12", "w1", ""),
		strings.Replace(testutil.Operation("insert", "2019-03-10T05:30:00-07:00", "16", "w4", ""), "DONE", "RUNNING", 1), // yet it came
		testutil.Operation("delete", "2019-03-10T06:00:00-07:00", "16", "w4", ""),
	}, ",\n") + "]"
	const want = `09:30:00 11 launch unknown us-west1-a/a2
10:30:00 11 preempt capacity us-west1-a/a2
10:31:00 11 terminate user us-west1-a/a2
11:00:00 12 launch unknown us-west1-a/a2
11:30:00 13 launch_fail capacity us-west1-a/a2
12:00:00 12 terminate user us-west1-a/a2
12:30:00 16 launch unknown us-west1-a/a2
13:00:00 16 terminate user us-west1-a/a2
`
	for name, text := range map[string]string{"list": list, "page": `{"kind": "compute#operationList", "items": ` + list + `}`} {
		s, r := tracetest.Import(t, "", traces.Options{InstanceType: "a2"}, tracetest.File(t, "ops.json", text))
		if got := tracetest.EventsText(s); got != want {
			t.Errorf("%s:\n%s\nexpected\n%s", name, got, want)
		}
		notes := strings.Join(r.Notes, "\n")
		for _, n := range []string{"1 operations left out: setLabels of instances", "1 operations left out: insert of disks",
			"1 operations left out: insert not done yet"} {
			if !strings.Contains(notes, n) {
				t.Errorf("%s: notes %s, expected %s", name, notes, n)
			}
		}
		if r.Duplicates != 1 || s.InstanceEvents[1].NoticeUs != nil || s.InstanceEvents[1].T%1e6 != 250e3 {
			t.Errorf("%s: %+v, %+v", name, r, s.InstanceEvents[1])
		}
		l := describe.Stats(s).Lifetimes
		if l.N != 3 || l.Preempted != 1 || l.Censored != 2 || l.NoStart != 0 {
			t.Errorf("%s: %+v", name, l)
		}
		tracetest.Near(t, "both outlive half an hour and one dies at one", l.S1, .5)
		text, err := json.Marshal(s)
		if err != nil || strings.Contains(string(text), "example.org") || strings.Contains(string(text), "secret") {
			t.Errorf("%s: somebody is named: %s, %v", name, text, err)
		}
		if got := strings.Join(s.Manifest.PIIDropped, "; "); got != "project in targetLink, selfLink and zone; user" {
			t.Errorf("%s: dropped %s", name, got)
		}
	}
}

func TestOperationsOfMachines(t *testing.T) {
	machine := func(name, preemptible, ops string) string {
		return fmt.Sprintf(`"%s": {"instance_data": {"NAME": "%s", "ZONE": "us-west1-a", "MACHINE_TYPE": "n1-highcpu-2", "PREEMPTIBLE": "%s"}, `+
			`"time_in_sec": 1.5, "day_of_week": "Monday", %s}`, name, name, preemptible, ops)
	}
	text := "{" + machine("w1", "true", `"insert": `+testutil.Operation("insert", "2019-03-11T00:00:00Z", "1", "w1", "")+`, "stop": `+
		testutil.Operation("stop", "2019-03-11T04:00:00Z", "1", "w1", "")+
		`, "compute.instances.preempted": `+testutil.Operation("compute.instances.preempted", "2019-03-11T03:00:00Z", "1", "w1", "")) + ",\n" +
		machine("w2", "10.128.0.40", `"insert": `+testutil.Operation("insert", "2019-03-11T00:00:00Z", "2", "w2", "")+`, "stop": `+
			testutil.Operation("stop", "2019-03-11T02:00:00Z", "2", "w2", "")) + "}"
	s, r := tracetest.Import(t, "", traces.Options{}, tracetest.File(t, "data.json", text))
	if len(s.Pools) != 2 || s.Pools[0].Market != "preemptible" || s.Pools[1].Market != "unknown" || s.Pools[1].Name != "us-west1-a/n1-highcpu-2/market unknown" {
		t.Errorf("pools %+v", s.Pools)
	}
	if l := describe.Stats(s).Lifetimes; l.N != 2 || l.Preempted != 1 || *l.Median != 3 {
		t.Errorf("%+v: what was preempted before it was stopped was preempted", l)
	}
	if !strings.Contains(strings.Join(r.Notes, "\n"), "neither true nor false") {
		t.Errorf("notes %v", r.Notes)
	}
}

func TestOperationErrors(t *testing.T) {
	ok := testutil.Operation("insert", "2019-03-11T00:00:00Z", "1", "w1", "")
	swap := func(old, new string) string { return "[" + strings.Replace(ok, old, new, 1) + "]" }
	for name, c := range map[string]struct{ text, want string }{
		"no type":     {swap(`"operationType": "insert", `, ""), "operation without operationType or insertTime"},
		"no time":     {swap(`"insertTime"`, `"time"`), "operation without operationType or insertTime"},
		"no offset":   {swap("00:00:00Z", "00:00:00"), `f:1:73: insertTime "2019-03-11T00:00:00", expected RFC 3339`},
		"target":      {swap(`"targetId": "1"`, `"targetId": "x1"`), `targetId "x1", expected digits`},
		"target link": {swap("/instances/w1", ""), "expected one of a machine in a zone"},
		"two zones":   {swap(`us-west1-a"}`, `us-west1-b"}`), `operation in zone "us-west1-b" on a machine in "us-west1-a"`},
		"cut page":    {`{"items": [` + ok + `], "nextPageToken": "abc"}`, `nextPageToken "abc" is not empty`},
		"more":        {"[" + ok + "] []", "more text follows"},
		"not a list":  {"[[" + ok + "]]", "operation is an array, expected an object"},
		"other zone":  {`{"w": {"instance_data": {"ZONE": "us-west1-b"}, "insert": ` + ok + `}}`, "machine is in zone us-west1-b, its operation in us-west1-a"},
	} {
		_, _, err := formats.Import("gcp-operations", []string{tracetest.File(t, "f", c.text)}, traces.Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\n\texpected %s", name, err, c.want)
		}
	}
}

// TestGoogLifetimes compares with the published survival (specs/traces.md
// section 1.1, row 9) where all 1,442 machines are here; of the smaller copy the
// figures were worked out apart from this package.
func TestGoogLifetimes(t *testing.T) {
	check := near.Count(t)
	s, r := tracetest.Import(t, "", traces.Options{}, tracetest.Recorded(t, "goog-preemption-lifetimes"))
	st := describe.Stats(s)
	l := st.Lifetimes
	want, ok := map[int][]float64{
		1442: {717, 725, .851, .724, .682, .614, .13},
		1055: {482, 573, .8182, .6950, .6619, .5840, .0994},
	}[l.N]
	if !ok {
		t.Fatalf("%d lives, expected the published 1442 or the 1055 of the smaller copy", l.N)
	}
	for i, got := range []float64{float64(l.Preempted), float64(l.Censored), *l.S1, *l.S6, *l.S12, *l.S24, *l.S24h30} {
		if check.Off(got, want[i], map[bool]float64{true: 1e-4, false: .005}[l.N == 1055]) {
			t.Errorf("figure %d: %v, expected %v", i, got, want[i])
		}
	}
	if l.NoStart != 0 || r.Duplicates != 0 || st.CorrelationNote == "" || s.Manifest.ClockKind != traces.ClockUTC {
		t.Errorf("%+v, %+v, %s", l, r, st.CorrelationNote)
	}
	n := 0
	for _, p := range st.Pools {
		n += p.Lifetimes.N
	}
	if n != l.N {
		t.Errorf("%d lives in pools, %d in the set", n, l.N)
	}
	for _, e := range s.InstanceEvents {
		if !read.IsDigits(e.InstanceID) {
			t.Fatalf("machine %s, expected the number that stays with it", e.InstanceID)
		}
	}
}
