package jobs

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/tracetest"
)

func TestJobsCSV(t *testing.T) {
	const text = jobsHeader + "\n2017-10-09 07:01:55,66.0,1,66.0,11cb48\n2017-10-08 07:01:55,10.5,4,42.0,x\n2017-10-10 00:00:00,0,8,7,x\n"
	for name, text := range map[string]string{"as it is": text, "CRLF BOM": "\xef\xbb\xbf" + strings.ReplaceAll(text, "\n", "\r\n")} {
		s, r := tracetest.Import(t, "", traces.Options{}, tracetest.File(t, "philly.csv", text))
		if r.Format != "jobs-csv" || len(s.Jobs) != 3 || r.OutOfOrder != 1 || s.Manifest.Semantics != traces.SemanticsJobs ||
			s.Manifest.ClockKind != traces.ClockUnknownTZ {
			t.Fatalf("%s: %+v", name, r)
		}
		if j := s.Jobs[0]; traces.Stamp(j.T) != "2017-10-08T07:01:55.000Z" || *j.DurationUs != 10_500_000 || j.GPUs != 4 || j.SrcRow != 3 || j.Work != nil ||
			j.JobID != "" {
			t.Errorf("%s: %+v", name, j)
		}
		note := strings.Join(r.Notes, "\n")
		if !strings.Contains(note, "gpu_time of 1 jobs") || s.Jobs[0].VC != "x" {
			t.Errorf("%s: notes %s", name, note)
		}
		dir := t.TempDir()
		if err := s.Write(dir); err != nil {
			t.Fatal(err)
		}
		again, err := traces.Read(dir)
		if err != nil || !reflect.DeepEqual(again.Jobs, s.Jobs) {
			t.Errorf("%s: read back %+v, %v", name, again, err)
		}
	}
}

// What the recorded traces hold, counted by other tools (wc, cut, awk).
func TestGavelJobsRecorded(t *testing.T) {
	for _, w := range []struct {
		path []string
		rows int
		work float64 // steps of the first
	}{
		{[]string{"msr_seed0", "103959.trace"}, 986, 5635991},
		{[]string{"msr_seed0", "23dbec.trace"}, 9, 14612},
		{[]string{"physical_cluster", "small_test.trace"}, 20, 346},
		{[]string{"physical_cluster", "max_min_fairness.trace"}, 96, 925982},
	} {
		s, r := tracetest.Import(t, "", traces.Options{}, tracetest.Recorded(t, append([]string{"gavel-job-traces"}, w.path...)...))
		if r.Format != "gavel-jobs" || len(s.Jobs) != w.rows || r.OutOfOrder != 0 || s.Manifest.ClockKind != traces.ClockRelative {
			t.Errorf("%v: %+v", w.path, r)
		}
		if j := s.Jobs[0]; *j.Work != w.work || j.T != 0 || j.Model == "" || j.DurationUs != nil || j.DeadlineUs != nil {
			t.Errorf("%v: %+v", w.path, j)
		}
	}
	s, _ := tracetest.Import(t, "", traces.Options{Start: time.Unix(1000, 0)}, tracetest.Recorded(t, "gavel-job-traces", "msr_seed0", "103959.trace"))
	if j := s.Jobs[985]; j.T != 7910536e6+1000e6 || j.GPUs != 1 || *j.Work != 83591 {
		t.Errorf("last job %+v", j)
	}
}

func TestGavelJobs(t *testing.T) {
	const text = "m\tc\td\t-n\t1\t5\t4\t2\t1.5\t10\r\nm\tc\td\t-n\t1\t5\t4\t1\t-1.000000\t9.5\r\nm\tc\t-n\t1\t7\t11.25\t2\r\n"
	s, r := tracetest.Import(t, "", traces.Options{}, tracetest.File(t, "a.trace", "\xef\xbb\xbf"+text))
	if len(s.Jobs) != 3 || r.OutOfOrder != 1 || s.Jobs[0].T != 9_500_000 || s.Jobs[2].GPUs != 2 || *s.Jobs[2].Work != 7 || s.Jobs[2].T != 11_250_000 {
		t.Fatalf("%+v, %+v", r, s.Jobs)
	}
	if note := strings.Join(r.Notes, "\n"); !strings.Contains(note, "1 jobs have an objective") || *s.Jobs[1].Weight != 2 {
		t.Errorf("notes %s", note)
	}
}

func TestGavelJobsOfTwoFiles(t *testing.T) {
	const text = "m\tc\t-n\t1\t7\t11.25\t2\n"
	s, r := tracetest.Import(t, "", traces.Options{}, tracetest.File(t, "a.trace", text), tracetest.File(t, "b.trace", strings.Replace(text, "7", "8", 1)))
	if len(s.Jobs) != 2 || !strings.Contains(strings.Join(r.Notes, "\n"), "as if all had begun together") {
		t.Errorf("%+v, %v", s.Jobs, r.Notes)
	}
}

// A note is in the manifest, which must not depend on where a file lay.
func TestNotesWithoutFolders(t *testing.T) {
	text := jobsHeader + "\n2017-10-09 07:01:55,66.0,1,1.0,x\n"
	a, b := tracetest.File(t, "a.csv", text), tracetest.File(t, "a.csv", text)
	first, _ := tracetest.Import(t, "", traces.Options{}, a)
	second, _ := tracetest.Import(t, "", traces.Options{}, b)
	if !reflect.DeepEqual(first.Manifest, second.Manifest) || !strings.Contains(strings.Join(first.Manifest.Notes, "\n"), "a.csv: gpu_time") {
		t.Errorf("notes %v and %v", first.Manifest.Notes, second.Manifest.Notes)
	}
}

func TestJobErrors(t *testing.T) {
	const csv = jobsHeader + "\n2017-10-09 07:01:55,66.0,1,66.0,11cb48\n"
	const gavel = "m\tc\td\t-n\t1\t5\t4\t1\t-1\t10\n"
	for name, c := range map[string]struct{ text, want string }{
		"csv time":      {csv + "9.10.2017,66.0,1,66.0,x\n", `a:3:1: timestamp "9.10.2017", expected`},
		"csv duration":  {csv + "2017-10-09 07:01:55,-66.0,1,66.0,x\n", `a:3:21: duration "-66.0", expected seconds`},
		"csv NaN":       {csv + "2017-10-09 07:01:55,NaN,1,66.0,x\n", `duration "NaN", expected seconds`},
		"csv gpus":      {csv + "2017-10-09 07:01:55,66.0,1.5,66.0,x\n", `a:3:26: num_gpus "1.5", expected a whole number`},
		"csv gpu_time":  {csv + "2017-10-09 07:01:55,66.0,1,,x\n", `gpu_time "", expected`},
		"csv fields":    {csv + "2017-10-09 07:01:55,66.0\n", "a:3:1: 2 fields"},
		"csv header":    {jobsHeader + "\n", "no row below the header"},
		"gavel fields":  {gavel + "m\tc\n", "a:2:1: 2 fields"},
		"gavel steps":   {gavel + strings.Replace(gavel, "\t5\t", "\t-5\t", 1), `a:2:12: steps "-5", expected a number`},
		"gavel gpus":    {gavel + strings.Replace(gavel, "\t4\t", "\tx\t", 1), `a:2:14: scale factor "x", expected`},
		"gavel arrival": {gavel + strings.Replace(gavel, "\t10\n", "\tx\n", 1), `a:2:21: arrival "x", expected seconds`},
		"gavel slo":     {gavel + strings.Replace(gavel, "\t-1\t", "\t\t", 1), `objective "", expected a number`},
		"gavel late":    {gavel + strings.Replace(gavel, "\t10\n", "\t9999999999\n", 1), `arrival "9999999999", expected seconds`},
	} {
		_, _, err := formats.Import("", []string{tracetest.File(t, "a", c.text)}, traces.Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\n\texpected %s", name, err, c.want)
		}
	}
}
