package pools

import (
	"fmt"
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/describe"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/tracetest"
)

func TestLifetimeCSV(t *testing.T) {
	s, r := tracetest.Import(t, "", traces.Options{}, tracetest.File(t, "lifetime.csv", testutil.Lifetimes))
	var got []string
	for _, e := range s.InstanceEvents {
		got = append(got, fmt.Sprintf("%v %s %s %s", float64(e.T)/3600e6, s.Pools[e.PoolID].Name, strings.TrimSpace(e.InstanceID), e.Kind))
	}
	if len(got) != 10 || got[0] != "0 us-west1-b/K80 a-us-west1-b-0less launch" || got[1] != "0 us-west1-b/K80 a-us-west1-b-0less terminate" ||
		got[2] != "0 zone not known/V100 line 11 launch" || got[9] != "24.383333333333333 us-west1-b/K80 a-us-west1-b-0 terminate" ||
		s.InstanceEvents[9].UncertainUs != 60e6 {
		t.Errorf("events\n%s", strings.Join(got, "\n"))
	}
	if r.Corrupt != 4 || !strings.Contains(strings.Join(r.Notes, "\n"), `line 14 "1046389:24:27,,"`) ||
		!strings.Contains(r.String(), "4 rows left out for a corrupt cell") {
		t.Errorf("%d rows left out, %v, expected 4: no start, an end before its start, 119 years, 61 minutes", r.Corrupt, r.Notes)
	}
	if s.Manifest.ClockKind != traces.ClockRelative || s.Manifest.Semantics != traces.SemanticsLifetimes || s.Manifest.TEndUs != s.InstanceEvents[9].T {
		t.Errorf("manifest %+v", s.Manifest)
	}
	st := describe.Stats(s)
	if st.LifetimesByGPU["V100"].N != 3 || st.LifetimesByGPU["K80"].N != 2 || st.Lifetimes.Preempted != 5 {
		t.Errorf("%+v", st.LifetimesByGPU)
	}
	tracetest.Near(t, "median of V100", st.LifetimesByGPU["V100"].Median, 1)
}

func TestLifetimeErrors(t *testing.T) {
	const head = "K80,,\nVM name,Start,Terminate\n"
	for name, c := range map[string]struct{ text, want string }{
		"date":       {head + "a,2019-02-18,2/19/19 23:46\n", `f:3:3: start "2019-02-18", expected for instance 2/18/19 23:40`},
		"end":        {head + "a,2/18/19 23:40,soon\n", `f:3:17: end "soon"`},
		"length":     {head + "a:b:c\n", `f:3:1: end "a:b:c", expected a length HH:MM:SS`},
		"cells":      {head + "a,1,2,3\n", `f:3:1: 4 cells, expected at most a name`},
		"no heading": {"VM name,Start,Terminate\na,2/18/19 23:40,2/19/19 23:46\n", "before a heading, expected a GPU first"},
		"nothing":    {head, "has no lifetime that can be"},
		"no name":    {head + ",2/18/19 23:40,2/19/19 23:46\n", `name ""`},
		"old":        {head + "a,2/18/69 23:40,2/19/69 23:46\n", "is out of range"},
	} {
		_, _, err := formats.Import("lifetime-csv", []string{tracetest.File(t, "f", c.text)}, traces.Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\n\texpected %s", name, err, c.want)
		}
	}
}

// Published (specs/traces.md section 1.1, row 10): the K80's median is 24.08 h,
// and at 23.5 h or more are 73 % of K80, 80 % of P100 and 90 % of V100.
func TestCakelabLifetimes(t *testing.T) {
	check := near.Count(t)
	s, _ := tracetest.Import(t, "", traces.Options{}, tracetest.Recorded(t, "cakelab-gcp-gpu-lifetimes"))
	by := describe.Stats(s).LifetimesByGPU
	if by["K80"] == nil || by["P100"] == nil {
		t.Fatalf("%v, expected K80 and P100 at least", by)
	}
	if m := *by["K80"].Median; check.Off(m, 24.08, .005) {
		t.Errorf("K80: median %.4f h, published 24.08", m)
	}
	for gpu, want := range map[string]float64{"K80": .73, "P100": .80, "V100": .90} {
		if l := by[gpu]; l != nil && check.Off(*l.ShareLong, want, .005) {
			t.Errorf("%s: %.4f live 23.5 h or more, published %.2f", gpu, *l.ShareLong, want)
		}
	}
}
