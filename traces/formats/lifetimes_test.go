package formats

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/describe"
)

// opJSON is an operation on a machine of zone z-a1-b, which somebody asked for.
func opJSON(what, at, id, name, more string) string {
	const project = "https://www.googleapis.com/compute/v1/projects/secret/zones/us-west1-a"
	return fmt.Sprintf(`{"kind": "compute#operation", "operationType": "%s", "insertTime": "%s", "endTime": "%s", "status": "DONE", "user": "someone@example.org", "progress": 100, "targetId": "%s", "targetLink": "%s/instances/%s", "zone": "%s"%s}`,
		what, at, at, id, project, name, project, more)
}

func TestOperations(t *testing.T) {
	const full = `, "error": {"errors": [{"message": "none left", "code": "ZONE_RESOURCE_POOL_EXHAUSTED", "x": []}]}`
	list := "[" + strings.Join([]string{
		opJSON("compute.instances.preempted", "2019-03-10T03:30:00.250-07:00", "11", "w1", ""),
		opJSON("insert", "2019-03-10T01:30:00.250-08:00", "11", "w1", ""), // the clocks go forward between the two
		opJSON("delete", "2019-03-10T03:31:00-07:00", "11", "w1", ""),
		opJSON("insert", "2019-03-10T04:00:00-07:00", "12", "w1", ""), // the name again, another machine
		opJSON("stop", "2019-03-10T05:00:00-07:00", "12", "w1", ""),
		opJSON("insert", "2019-03-10T04:30:00-07:00", "13", "w2", full),
		opJSON("setLabels", "2019-03-10T04:31:00-07:00", "12", "w1", ""),
		strings.Replace(opJSON("insert", "2019-03-10T04:32:00-07:00", "14", "d1", ""), "instances", "disks", 1),
		strings.Replace(opJSON("insert", "2019-03-10T04:33:00-07:00", "15", "w3", ""), "DONE", "RUNNING", 1),
		opJSON("stop", "2019-03-10T05:00:00-07:00", "12", "w1", ""),
		strings.Replace(opJSON("insert", "2019-03-10T05:30:00-07:00", "16", "w4", ""), "DONE", "RUNNING", 1), // yet it came
		opJSON("delete", "2019-03-10T06:00:00-07:00", "16", "w4", ""),
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
		s, r := mustImport(t, "", traces.Options{InstanceType: "a2"}, file(t, "ops.json", text))
		if got := eventsText(s); got != want {
			t.Errorf("%s:\n%s\nexpected\n%s", name, got, want)
		}
		notes := strings.Join(r.Notes, "\n")
		for _, n := range []string{"1 operations left out: setLabels of instances", "1 operations left out: insert of disks", "1 operations left out: insert not done yet"} {
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
		near(t, "both outlive half an hour and one dies at one", l.S1, .5)
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
		return fmt.Sprintf(`"%s": {"instance_data": {"NAME": "%s", "ZONE": "us-west1-a", "MACHINE_TYPE": "n1-highcpu-2", "PREEMPTIBLE": "%s"}, "time_in_sec": 1.5, "day_of_week": "Monday", %s}`, name, name, preemptible, ops)
	}
	text := "{" + machine("w1", "true", `"insert": `+opJSON("insert", "2019-03-11T00:00:00Z", "1", "w1", "")+`, "stop": `+opJSON("stop", "2019-03-11T04:00:00Z", "1", "w1", "")+
		`, "compute.instances.preempted": `+opJSON("compute.instances.preempted", "2019-03-11T03:00:00Z", "1", "w1", "")) + ",\n" +
		machine("w2", "10.128.0.40", `"insert": `+opJSON("insert", "2019-03-11T00:00:00Z", "2", "w2", "")+`, "stop": `+opJSON("stop", "2019-03-11T02:00:00Z", "2", "w2", "")) + "}"
	s, r := mustImport(t, "", traces.Options{}, file(t, "data.json", text))
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
	ok := opJSON("insert", "2019-03-11T00:00:00Z", "1", "w1", "")
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
		_, _, err := Import("gcp-operations", []string{file(t, "f", c.text)}, traces.Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\n\texpected %s", name, err, c.want)
		}
	}
}

// TestGoogLifetimes compares with the published survival (specs/traces.md
// section 1.1, row 9) where all 1,442 machines are here; of the smaller copy the
// figures were worked out apart from this package.
func TestGoogLifetimes(t *testing.T) {
	s, r := mustImport(t, "", traces.Options{}, recorded(t, "goog-preemption-lifetimes"))
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
		if math.Abs(got-want[i]) > map[bool]float64{true: 1e-4, false: .005}[l.N == 1055] {
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
		if !isDigits(e.InstanceID) {
			t.Fatalf("machine %s, expected the number that stays with it", e.InstanceID)
		}
	}
}

const sheet = "K80,,\r\nVM name,Start,Terminate\r\na-us-west1-b-0,2/18/19 23:40,2/20/19 00:02\r\na-us-west1-b-0less,2/18/19 23:39,2/18/19 23:39\r\n,,\r\nP100,,\r\nVM name,Start,Terminate\r\nx,,2/20/19 00:02\r\n" +
	"a-us-east1-c-1,2/20/19 00:02,2/19/19 00:02\r\nV100,,\r\n24:05:13,,\r\nv-1,1:00:00\r\nv-1,,0:30:00\r\n1046389:24:27,,\r\n00:61:00\r\n"

func TestLifetimeCSV(t *testing.T) {
	s, r := mustImport(t, "", traces.Options{}, file(t, "lifetime.csv", sheet))
	var got []string
	for _, e := range s.InstanceEvents {
		got = append(got, fmt.Sprintf("%v %s %s %s", float64(e.T)/3600e6, s.Pools[e.PoolID].Name, strings.TrimSpace(e.InstanceID), e.Kind))
	}
	if len(got) != 10 || got[0] != "0 us-west1-b/K80 a-us-west1-b-0less launch" || got[1] != "0 us-west1-b/K80 a-us-west1-b-0less terminate" ||
		got[2] != "0 zone not known/V100 line 11 launch" || got[9] != "24.383333333333333 us-west1-b/K80 a-us-west1-b-0 terminate" || s.InstanceEvents[9].UncertainUs != 60e6 {
		t.Errorf("events\n%s", strings.Join(got, "\n"))
	}
	if r.Corrupt != 4 || !strings.Contains(strings.Join(r.Notes, "\n"), `line 14 "1046389:24:27,,"`) || !strings.Contains(r.String(), "4 rows left out for a corrupt cell") {
		t.Errorf("%d rows left out, %v, expected 4: no start, an end before its start, 119 years, 61 minutes", r.Corrupt, r.Notes)
	}
	if s.Manifest.ClockKind != traces.ClockRelative || s.Manifest.Semantics != traces.SemanticsLifetimes || s.Manifest.TEndUs != s.InstanceEvents[9].T {
		t.Errorf("manifest %+v", s.Manifest)
	}
	st := describe.Stats(s)
	if st.LifetimesByGPU["V100"].N != 3 || st.LifetimesByGPU["K80"].N != 2 || st.Lifetimes.Preempted != 5 {
		t.Errorf("%+v", st.LifetimesByGPU)
	}
	near(t, "median of V100", st.LifetimesByGPU["V100"].Median, 1)
}

func TestLifetimeErrors(t *testing.T) {
	const head = "K80,,\nVM name,Start,Terminate\n"
	for name, c := range map[string]struct{ text, want string }{
		"date":       {head + "a,2019-02-18,2/19/19 23:46\n", `f:3:3: "2019-02-18", expected for instance 2/18/19 23:40`},
		"end":        {head + "a,2/18/19 23:40,soon\n", `f:3:17: "soon"`},
		"length":     {head + "a:b:c\n", `f:3:1: "a:b:c", expected a length HH:MM:SS`},
		"cells":      {head + "a,1,2,3\n", `f:3:7: "3", expected at most a name`},
		"no heading": {"VM name,Start,Terminate\na,2/18/19 23:40,2/19/19 23:46\n", "before a heading, expected a GPU first"},
		"nothing":    {head, "has no lifetime that can be"},
		"no name":    {head + ",2/18/19 23:40,2/19/19 23:46\n", `machine ""`},
		"old":        {head + "a,2/18/69 23:40,2/19/69 23:46\n", "is not believable"},
	} {
		_, _, err := Import("lifetime-csv", []string{file(t, "f", c.text)}, traces.Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\n\texpected %s", name, err, c.want)
		}
	}
}

// Published (specs/traces.md section 1.1, row 10): the K80's median is 24.08 h,
// and at 23.5 h or more are 73 % of K80, 80 % of P100 and 90 % of V100.
func TestCakelabLifetimes(t *testing.T) {
	s, _ := mustImport(t, "", traces.Options{}, recorded(t, "cakelab-gcp-gpu-lifetimes"))
	by := describe.Stats(s).LifetimesByGPU
	if by["K80"] == nil || by["P100"] == nil {
		t.Fatalf("%v, expected K80 and P100 at least", by)
	}
	if m := *by["K80"].Median; math.Abs(m-24.08) > .005 {
		t.Errorf("K80: median %.4f h, published 24.08", m)
	}
	for gpu, want := range map[string]float64{"K80": .73, "P100": .80, "V100": .90} {
		if l := by[gpu]; l != nil && math.Abs(*l.ShareLong-want) > .005 {
			t.Errorf("%s: %.4f live 23.5 h or more, published %.2f", gpu, *l.ShareLong, want)
		}
	}
}

func FuzzOperations(f *testing.F) {
	ok := opJSON("insert", "2019-03-11T00:00:00Z", "1", "w1", "")
	fuzz(f, "gcp-operations", traces.Options{}, "["+ok+"]", `{"items": [`+ok+`], "nextPageToken": ""}`, `{"w": {"instance_data": {"ZONE": "us-west1-a", "PREEMPTIBLE": ""}, "insert": `+ok+`, "x": {}}}`,
		`[{"operationType": "insert", "insertTime": "2199-12-31T23:59:59Z", "targetLink": "/zones//instances/"}]`, `[]`, `{}`, `[{"error": {"errors": []}}]`)
}

func FuzzLifetimes(f *testing.F) {
	fuzz(f, "lifetime-csv", traces.Options{}, sheet, "a\n1:00:00\n", "a\nb,12/31/68 00:00,1/1/69 00:00\n", "a\n,,999999999:59:59")
}
