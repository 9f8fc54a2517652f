package pools

import (
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/describe"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/tracetest"
)

// fault is an element of a file.
func fault(node, at, kind string) string {
	return `{"node_id": "` + node + `", "event_time": ` + at + `, "event_type": "` + kind +
		`", "fault_type": {"Level": "Hardware Failure", "Class": "GPU", "Desc": "x"}}`
}

// Servers are up from the beginning, go at a fault and come when the last of their faults has ended.
func TestFaults(t *testing.T) {
	text := "[" + strings.Join([]string{fault("b", "1", "fault_start"), fault("b", "1.5", "fault_start"), fault("b", "2", "fault_end"),
		fault("a", "2", "fault_start"), fault("b", "3", "fault_end"), fault("a", "4", "fault_end")}, ",\n") + "]"
	s, r := tracetest.Import(t, "", traces.Options{Cap: 3}, tracetest.File(t, "f.json", text))
	if r.Format != "faults" {
		t.Errorf("taken for %s", r.Format)
	}
	var got []string
	for _, e := range s.InstanceEvents {
		got = append(got, e.InstanceID+" "+e.Kind+" "+e.Reason)
	}
	want := "a running unknown|b running unknown|without-faults-0 running unknown|b terminate host_error|b terminate host_error|" +
		"a terminate host_error|b running unknown|a running unknown"
	if strings.Join(got, "|") != want {
		t.Errorf("events %v", got)
	}
	f := describe.Stats(s).Pools[0].Faults
	if f.N != 3 || f.Faulty != 2 || f.Machines != 3 || f.DownPeak != 2 || f.MaxFaults != 2 {
		t.Errorf("%+v", f)
	}
	near.Abs(t, "machines down in the mean", f.DownMean, 1, 1e-12) // two days each of four
	near.Abs(t, "hours down", f.Mean, 48, 1e-12)
}

// What is wrong is said with its place.
func TestBadFaults(t *testing.T) {
	for text, want := range map[string]string{
		"[" + fault("a", "2", "fault_start") + ",\n" + fault("b", "1", "fault_start") + "]": "f.json:2:",
		"[" + fault("a", "2", "fault_end") + "]":                                            "fault_end of server \"a\", which has no fault",
		"[" + fault("a", "2", "fault_stop") + "]":                                           "expected fault_start or fault_end",
		"[" + fault("a", "-2", "fault_start") + "]":                                         "event_time \"-2\", expected a number from 0",
		"[" + fault("a", "2", "fault_start") + "," + fault("b", "2", "fault_start") + "]":   "expected at most cap: 1",
		"[]": "has no fault",
		`[{"event_type": "fault_start", "x": 1}]`: "expected both",
	} {
		_, _, err := formats.Import("faults", []string{tracetest.File(t, "f.json", text)}, traces.Options{Cap: 1})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected %q", text, err, want)
		}
	}
}

// The public record of a cluster's faults says what was counted of it by another program.
func TestInfiniteHBD(t *testing.T) {
	file := tracetest.Recorded(t, "infinitehbd-faults", "fault_trace.json")
	s, _ := tracetest.Import(t, "", traces.Options{Cap: 400}, file)
	f := describe.Stats(s).Pools[0].Faults
	if f.N != 584 || f.Faulty != 231 || f.Machines != 400 || f.DownPeak != 35 || f.Many != 33 || f.MaxFaults != 14 {
		t.Errorf("%+v, expected 584 faults of 231 of 400 servers, 35 down at most, 33 servers with five or more, one with 14", f)
	}
	for what, x := range map[string][3]float64{
		"faults per 1,000 server-days": {f.Rate, 4.18, .005}, "servers down in the mean": {f.DownMean, 9.26, .005},
		"median days down": {f.Median / 24, .85, .005}, "mean days down": {f.Mean / 24, 5.55, .005}, "nine tenths of days down": {f.P90 / 24, 13.0, .1},
	} {
		near.Abs(t, what, x[0], x[1], x[2])
	}
}
