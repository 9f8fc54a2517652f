package pools

import (
	"strings"
	"testing"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/describe"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/tracetest"
)

func TestDimeLaunches(t *testing.T) {
	const text = "Zone: us-west1-b, GPU type: nvidia-tesla-v100, Number of GPUs: 8, Price per hour: $6.808\r\n"
	s, r := tracetest.Import(t, "", traces.Options{}, tracetest.File(t, "2020-02-26T17:03:53.000Z.out", text))
	if p := s.Probes[0]; traces.Stamp(p.T) != "2020-02-26T17:03:53.000Z" || p.TEnd != nil || p.Exhausted != nil || p.Outcome != "ok" ||
		s.Pools[0].Name != "us-west1-b/8xV100" || len(s.Prices) != 0 {
		t.Errorf("%+v in %+v, prices %v", p, s.Pools[0], s.Prices)
	}
	if s.Manifest.ClockKind != traces.ClockUnknownTZ || s.Manifest.Semantics != traces.SemanticsLaunches ||
		!strings.Contains(strings.Join(r.Notes, "\n"), "constants of the script") {
		t.Errorf("manifest %+v", s.Manifest)
	}
	for name, c := range map[string]struct{ file, text, want string }{
		"no time":  {"a.out", text, "a.out: does not say when it was written"},
		"old":      {"1020-02-26T17:03:53.000Z.out", text, "is out of range"},
		"bad line": {"2020-02-26T17:03:53.000Z.out", text + "Zone: a, GPU type: b\n", ".out:2:1: \"Zone: a, GPU type: b\", expected a zone"},
		"no GPU":   {"2020-02-26T17:03:53.000Z.out", strings.Replace(text, "nvidia-tesla-v100", "nvidia-", 1), `.out:1:29: "", expected a name`},
	} {
		if _, _, err := formats.Import("dime-launches", []string{tracetest.File(t, c.file, c.text)}, traces.Options{}); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\n\texpected %s", name, err, c.want)
		}
	}
}

// Published of 33 rounds: 33 of 60 kinds ever succeed, and what is printed says
// nothing of the others.
func TestDimeLaunchRounds(t *testing.T) {
	s, r := tracetest.Import(t, "", traces.Options{}, tracetest.Recorded(t, "dime-availability-logs", "gcp", "spin_up_and_shut_down"))
	st := describe.Stats(s)
	lines := map[int]int{33: 936, 17: 478}[r.Files]
	if lines == 0 || r.Rows != lines || len(s.Pools) > 33 || len(s.Probes) != lines {
		t.Errorf("%d launches of %d kinds in %d files, expected 936 of 33 in 33, or 478 in 17", r.Rows, len(s.Pools), r.Files)
	}
	if st.Availability != nil || st.Probes.Success != nil || st.Probes.Fulfilled != int64(lines) || st.DropEvents != 0 {
		t.Errorf("statistics %+v: expected no share of attempts, for those that failed are not known", st.Probes)
	}
}
