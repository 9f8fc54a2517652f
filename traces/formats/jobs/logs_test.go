package jobs_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	_ "github.com/marigram/marigram/traces/formats/jobs"
	"github.com/marigram/marigram/traces/formats/tracetest"
)

// The publishers' own examples, by numbers that were worked out by hand.
func TestPublishersExamples(t *testing.T) {
	for _, w := range []struct {
		file, format        string
		jobs                int
		gpus                float64
		duration, queue     int64 // s
		status, first, note string
	}{
		{"philly_cluster_job_log.json", "philly-jobs", 1, 8, 74 + 193182, 30, "Pass", "2017-10-07T01:11:39.000Z", "1 jobs had more than one, with 0.0 h between"},
	} {
		s, r := tracetest.Import(t, "", traces.Options{}, tracetest.Recorded(t, "jobs", "format-samples", w.file))
		j := s.Jobs[0]
		if r.Format != w.format || len(s.Jobs) != w.jobs || j.GPUs != w.gpus || *j.DurationUs != w.duration*1e6 || *j.QueueUs != w.queue*1e6 ||
			j.Status != w.status || traces.Stamp(j.T) != w.first {
			t.Errorf("%s: %s, %d jobs, %+v for %d us after %d us", w.file, r.Format, len(s.Jobs), j, *j.DurationUs, *j.QueueUs)
		}
		if !strings.Contains(strings.Join(r.Notes, "\n"), w.note) {
			t.Errorf("%s: notes %v, expected %q", w.file, r.Notes, w.note)
		}
	}
}

// What Muri's and Tiresias's traces hold, counted by another program (Python's csv).
func TestTiresiasRecorded(t *testing.T) {
	check := near.Count(t)
	for _, w := range []struct {
		path       []string
		jobs       int
		last       int64 // submission of the last, us
		gpuSeconds float64
	}{
		{[]string{"tiresias-60", "60_job.csv"}, 60, 1779e6, 26624},
		{[]string{"muri-philly-derived", "trace1.csv"}, 1494, 10817570000e3, 1379976364000e-3},
		{[]string{"muri-philly-derived", "trace2.csv"}, 5755, 8572283000e3, 2966695253000e-3},
		{[]string{"muri-philly-derived", "trace3.csv"}, 992, 8166025000e3, 420084355000e-3},
		{[]string{"muri-philly-derived", "trace4.csv"}, 2638, 7363956000e3, 737647571000e-3},
	} {
		s, _ := tracetest.Import(t, "tiresias-jobs", traces.Options{}, tracetest.Recorded(t, append([]string{"jobs"}, w.path...)...))
		var sum float64
		for i := range s.Jobs {
			sum += s.Jobs[i].GPUs * float64(*s.Jobs[i].DurationUs) / 1e6
		}
		if len(s.Jobs) != w.jobs || s.Jobs[w.jobs-1].T != w.last || check.Off(sum, w.gpuSeconds, 1e-9*sum) {
			t.Errorf("%v: %d jobs, the last at %d us, %v GPU-seconds", w.path, len(s.Jobs), s.Jobs[len(s.Jobs)-1].T, sum)
		}
	}
}

// One job, by tables that say the same in the words of each format.
func TestOneJobInEveryFormat(t *testing.T) {
	for name, text := range map[string]string{
		"jobs-minimal":  "job_id,gpus,submit_s,duration_s\na,2,60,100.5\n",
		"tiresias-jobs": "job_id,num_gpu,submit_time,iterations,model_name,batch_size,duration,interval,iteration_time\na,2,60000,9,m,1,100500,0,1\n",
		"philly-jobs": `[{"status": "Pass", "vc": null, "jobid": "a", "attempts": [{"start_time": "1970-01-01 00:01:40", "end_time": "1970-01-01 ` +
			`00:03:00", "detail": [{"ip": "m", "gpus": ["0"]}, {"ip": "n", "gpus": ["0"]}]}, {"start_time": "None", "end_time": null, "detail": []},
			{"start_time": "1970-01-01 00:04:00", "end_time": "1970-01-01 00:04:20", "detail": []}], "submitted_time": "1970-01-01 00:01:00", "user": ""}]`,
	} {
		s, r := tracetest.Import(t, "", traces.Options{}, tracetest.File(t, "a", text))
		want := int64(100.5e6)
		if name == "philly-jobs" {
			want = 100e6
		}
		if j := s.Jobs[0]; r.Format != name || len(s.Jobs) != 1 || j.JobID != "a" || j.GPUs != 2 || j.T != 60e6 || *j.DurationUs != want {
			t.Errorf("%s: recognised as %s, %+v for %d us", name, r.Format, j, *j.DurationUs)
		}
	}
}

// A column that marigram's own table of jobs does not have is a mistake, of which a note speaks.
func TestMisspeltColumn(t *testing.T) {
	_, r := tracetest.Import(t, "", traces.Options{}, tracetest.File(t, "a.csv", "job_id,submit_s,gpus,duration_s,dedline_s,colour\na,0,1,5,9,red\n"))
	want := []string{`a.csv: column "dedline_s" is not read; did you mean "deadline_s"?`, `a.csv: column "colour" is not read`}
	if !slices.Equal(r.Notes, want) {
		t.Errorf("%q, expected %q", r.Notes, want)
	}
}

// All columns of the minimal form are read, and what is read is the same after a detour over Parquet.
func TestMinimalColumns(t *testing.T) {
	const text = "job_id,submit_s,gpus,duration_s,kind,gpu_type,steps,weight,deadline_s,user,vc,status,cpus,memory_gb,tasks,spot,duration_on\n" +
		"a,0,0.5,0.000001,ResNet-18,T4|P100,1000.5,2,7200,u,v,Pass,6,1.5,1,1,V100\n" +
		"b,60.25,16,100.5,,,,,,,,,,,,,\n" +
		"\"c, \"\"the third\"\"\",61,1,5,\"ResNet-18, pruned\",,,,,,,,,,,,\n"
	s, _ := tracetest.Import(t, "", traces.Options{}, tracetest.File(t, "a.csv", text))
	want := []traces.JobRow{
		{SrcRow: 2, JobID: "a", GPUs: 0.5, DurationUs: new(int64(1)), Model: "ResNet-18", GPUType: "T4|P100", Work: new(1000.5),
			Weight: new(2.0), DeadlineUs: new(int64(7200e6)), User: "u", VC: "v", Status: "Pass", CPUs: new(6.0),
			MemoryGB: new(1.5), Tasks: new(int32(1)), Class: "spot", DurationOn: "V100"},
		{SrcRow: 3, T: 60.25e6, JobID: "b", GPUs: 16, DurationUs: new(int64(100.5e6))},
		{SrcRow: 4, T: 61e6, JobID: `c, "the third"`, GPUs: 1, DurationUs: new(int64(5e6)), Model: "ResNet-18, pruned"},
	}
	if !reflect.DeepEqual(s.Jobs, want) {
		t.Errorf("read %+v, expected %+v", s.Jobs, want)
	}
	dir := t.TempDir()
	if err := s.Write(dir); err != nil {
		t.Fatal(err)
	}
	if again, err := traces.Read(dir); err != nil || !reflect.DeepEqual(again.Jobs, s.Jobs) {
		t.Errorf("read back %+v, %v", again, err)
	}
}

// Jobs that cannot be run again are left out, by reason; the hour that the clock showed
// twice is put right.
func TestLeftOut(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"philly": {`[{"jobid": "a", "submitted_time": "2017-11-05 01:00:00", "attempts": []}, {"jobid": "b", "submitted_time": "2017-11-05 ` +
			`00:10:00", "attempts": [{"start_time": "2017-11-05 01:50:00", "end_time": "2017-11-05 01:10:00", "detail": [{"gpus": ["x"]}]}]}]`,
			"1 jobs left out: never ran"},
	} {
		s, r, err := formats.Import("", []string{tracetest.File(t, "a", c.text)}, traces.Options{})
		if err != nil || len(s.Jobs) != 1 {
			t.Errorf("%s: %+v, %v", name, s, err)
			continue
		}
		for _, want := range strings.Split(c.want, "|") {
			if !strings.Contains(strings.Join(r.Notes, "\n"), want) {
				t.Errorf("%s: notes %v, expected %q", name, r.Notes, want)
			}
		}
		if j := s.Jobs[0]; *j.DurationUs != 20*60*1e6 {
			t.Errorf("%s: %d us", name, *j.DurationUs)
		}
	}
}

func TestLogErrors(t *testing.T) {
	const minimal = "job_id,submit_s,gpus,duration_s,spot\n0,0,1,5,0\n"
	for name, c := range map[string]struct{ text, want string }{
		"twice":       {minimal + "0,1,1,5,0\n", `a:3:1: job_id "0" is that of line 2 of `},
		"no GPU":      {minimal + "1,1,0,5,0\n", `a:3:5: gpus "0", expected a number from 1e-06`},
		"no length":   {minimal + "1,1,1,0,0\n", `a:3:7: duration_s "0", expected a time above 0`},
		"negative":    {minimal + "1,-1,1,5,0\n", `a:3:3: submit_s "-1", expected a time of 0 or more`},
		"NaN":         {minimal + "1,NaN,1,5,0\n", `submit_s "NaN", expected`},
		"spot":        {minimal + "1,1,1,5,yes\n", `a:3:9: spot "yes", expected 0 or 1`},
		"cut":         {minimal + "1,1,1", "a:3:1: 3 fields"},
		"no row":      {"job_id,submit_s,gpus,duration_s\n", "no row below the header"},
		"column":      {"job_id,submit_s,gpus,duration_s,gpus\n0,0,1,5,1\n", `a:1:33: column "gpus" is there twice`},
		"philly cut":  {`[{"jobid": "a", "attempts": [`, "the JSON ends in the middle"},
		"philly time": {`[{"jobid": "a", "attempts": [], "submitted_time": "x"}]`, `submitted_time "x", expected a date`},
	} {
		_, _, err := formats.Import("", []string{tracetest.File(t, "a", c.text)}, traces.Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\n\texpected %s", name, err, c.want)
		}
	}
}

// A log of the Parallel Workloads Archive: what is -1 is not known, processors stand for GPUs, and what an error says.
func TestSWF(t *testing.T) {
	const text = "; Version: 2.2\n; Note: the \"EASY\" scheduler\n" +
		"    1        0    30   3600    4     -1    -1   8   7200    -1  1   17   2   3  1 -1 -1 -1\n" +
		"2 60 -1 5 -1 -1 -1 16 0 -1 0 -1 -1 -1 -1 -1 -1 -1 {1,1} q_1d 1:ppn=64\r\n" +
		"3 50 0 0 1 -1 -1 1 60 -1 5 17 2 -1 -1 -1 -1 -1\n4 70 0 9 -1 -1 -1 -1 60 -1 5 17 2 -1 -1 -1 -1 -1\n"
	s, r := tracetest.Import(t, "", traces.Options{}, tracetest.File(t, "log.swf", text))
	if r.Format != "swf" || len(s.Jobs) != 2 || s.Manifest.ClockKind != traces.ClockRelative || s.Manifest.Semantics != traces.SemanticsJobs {
		t.Fatalf("%+v", r)
	}
	a, b := s.Jobs[0], s.Jobs[1]
	if a.JobID != "1" || a.T != 0 || a.GPUs != 4 || *a.DurationUs != 3600e6 || *a.QueueUs != 30e6 || *a.RequestedUs != 7200e6 || a.User != "17" ||
		a.Model != "3" || a.VC != "1" || a.Status != "1" || a.SrcRow != 3 {
		t.Errorf("first: %+v", a)
	}
	if b.T != 60e6 || b.GPUs != 16 || b.RequestedUs != nil || b.QueueUs != nil || b.User != "" || b.Model != "" {
		t.Errorf("second: %+v", b)
	}
	notes := strings.Join(r.Notes, "\n")
	if !strings.Contains(notes, "1 jobs left out: without a length of time") || !strings.Contains(notes, "1 jobs left out: without processors") {
		t.Errorf("notes: %s", notes)
	}
	for text, want := range map[string]string{
		"1 0 1 1 1 -1 -1 1 1 -1 1 1 1 1 1 1 1 1\n1 0 1":                                   "log.swf:2:1: 3 fields, expected the 18",
		"1 0 1 1 1 -1 -1 1 1 -1 1 1 1 1 1 1 1 1\n2  x 1 1 1 -1 -1 1 1 -1 1 1 1 1 1 1 1 1": `log.swf:2:4: submit "x", expected a time`,
		"1 0 1 1 1 -1 -1 1 1 -1 1 1 1 1 1 1 1 1\n1 0 1 1 1 -1 -1 1 1 -1 1 1 1 1 1 1 1 1":  `job_id "1" is that of line 1`,
	} {
		_, _, err := formats.Import("", []string{tracetest.File(t, "log.swf", text)}, traces.Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, expected %s", text, err, want)
		}
	}
}
