package pools

import (
	"testing"
	"time"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/describe"
	"github.com/marigram/marigram/traces/formats/tracetest"
)

func TestNodeEventsUnit(t *testing.T) {
	s, _ := tracetest.Import(t, "", traces.Options{Unit: time.Second, Start: time.Unix(1000, 0)},
		tracetest.File(t, "n.csv", "\xef\xbb\xbf0,add,a\r\n30,add,b\r\n61,remove,a\r\n"))
	if e := s.InstanceEvents[2]; e.T != 1061e6 || e.Kind != traces.KindTerminate || e.Reason != "unknown" || e.NoticeUs != nil || e.InstanceID != "a" {
		t.Errorf("event %+v", e)
	}
	if s.Manifest.ClockKind != traces.ClockUTC || s.Manifest.TEndUs != 1061e6 {
		t.Errorf("manifest %+v", s.Manifest)
	}
}

// A record begins with its clock, not with the first machine that comes: until then there is none.
func TestMachinesThatComeLate(t *testing.T) {
	for name, text := range map[string]string{"n.csv": "7200000,add,a\n9000000,remove,a\n", "n.txt": `[7200000, "add", {"nodes": ["a"]}]` + "\n" +
		`[9000000, "remove", {"nodes": ["a"]}]`} {
		s, r := tracetest.Import(t, "", traces.Options{}, tracetest.File(t, name, text))
		if m := s.Manifest; m.TStartUs != 0 || m.TEndUs != 9000e6 || r.First != "1970-01-01T02:00:00.000Z" {
			t.Errorf("%s: from %d to %d us, the first row at %s", name, m.TStartUs, m.TEndUs, r.First)
		}
	}
	s, _ := tracetest.Import(t, "", traces.Options{}, tracetest.File(t, "n.csv", "1700000000000,add,a\n1700000060000,remove,a\n"))
	if s.Manifest.TStartUs != 1_700_000_000e6 {
		t.Errorf("times since 1970: from %d us", s.Manifest.TStartUs)
	}
}

func TestGoldenBamboo(t *testing.T) {
	check := near.Count(t)
	var want map[string]any
	tracetest.Golden(t, "bamboo-preemption-traces/p3-trace.csv", &want) // first: without the set it counts as not compared
	file := tracetest.Recorded(t, "bamboo-preemption-traces", "p3-trace.csv")
	s, _ := tracetest.Import(t, "", traces.Options{Semantics: traces.SemanticsAutoscaling}, file)
	st := describe.Stats(s)
	p := st.Pools[0]
	tracetest.Same(t, want, p, "first_ms last_ms hours time_avg other_kinds")
	first, last := s.InstanceEvents[0].T/1000, s.InstanceEvents[len(s.InstanceEvents)-1].T/1000
	if float64(first) != want["first_ms"] || float64(last) != want["last_ms"] {
		t.Errorf("from %d to %d ms, golden %v to %v", first, last, want["first_ms"], want["last_ms"])
	}
	if check.Off(p.Hours, want["hours"].(float64), 5e-4) || check.Off(p.TimeAvg, want["time_avg"].(float64), 5e-4) {
		t.Errorf("%.4f h, average %.4f, golden %v and %v", p.Hours, p.TimeAvg, want["hours"], want["time_avg"])
	}
	if len(want["other_kinds"].([]any)) != 2 { // add and remove, and no other kind would be read
		t.Errorf("golden has the kinds %v", want["other_kinds"])
	}
	if check.Off(*p.MTBPHours, 1.64, .005) || check.Off(*p.DropsPerHour, 6.95, .005) || p.MTBPCaveat {
		t.Errorf("MTBP %.3f h, %.3f drops/h, published 1.64 and 6.95", *p.MTBPHours, *p.DropsPerHour)
	}
	if s.Manifest.SamplingUs != 60e6 {
		t.Errorf("grain of the clock %d us, published 60 s", s.Manifest.SamplingUs)
	}
}
