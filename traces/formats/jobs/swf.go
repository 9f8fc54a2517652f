package jobs

import (
	"strings"
	"time"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

// swfColumns are the fields of the Standard Workload Format, version 2.2, in order; -1 stands for what is not known. Of
// a line with more than these 18, as some simulators write, the others are left out.
var swfColumns = []string{
	"job_id", "submit", "wait", "run", "processors", "cpu", "memory", "requested_processors", "requested_time",
	"requested_memory", "status", "user", "group", "executable", "queue", "partition", "preceding", "think",
}

// swfFormat reads the logs of the Parallel Workloads Archive.
var swfFormat = formats.Format{
	Name: "swf",
	Kind: formats.Jobs,
	What: "log in the Standard Workload Format of the Parallel Workloads Archive (Feitelson, Tsafrir and Krakov, " +
		"JPDC 2014), of jobs on processors: a processor is read as a GPU, those that were allocated, else those " +
		"requested; user, executable (the model) and queue (the virtual cluster) are numbers; requested_time is what " +
		"the user asked for; jobs without a run time or without processors are left out and counted",
	Example:   "; Version: 2.2\n1 0 10 3600 4 -1 -1 4 7200 -1 1 17 2 -1 -1 -1 -1 -1",
	Version:   1,
	Clock:     traces.ClockRelative,
	Recognise: recogniseSWF,
	New: func(b *formats.Builder) formats.Importer {
		return swf{&table{Builder: b}}
	},
}

// recogniseSWF reports whether the first line that is no comment is a job.
func recogniseSWF(s *read.Source) bool {
	for l := range s.Lines() {
		text := strings.TrimSpace(l.Text)
		if strings.HasPrefix(text, ";") {
			continue
		}
		r := swfRow(l)
		for _, name := range swfColumns[:12] {
			read.Maybe(r, name, read.Number(-1, traces.MaxInstant))
		}
		return r.Err == nil
	}
	return false
}

// swfRow cuts a line into its fields; those that are not known are empty.
func swfRow(l read.Line) *read.Row {
	r := l.Words(len(swfColumns))
	if r.Err == nil && len(r.Fields) < len(swfColumns) {
		r.Err = l.Errorf("%d fields, expected the %d of the Standard Workload Format", len(r.Fields), len(swfColumns))
	}
	r.SetNames(swfColumns)
	for i, text := range r.Fields {
		if text == "-1" {
			r.Fields[i] = ""
		}
	}
	return r
}

type swf struct{ *table }

// Read adds the jobs of a log, and notes how many were left out, and why.
func (t swf) Read(s *read.Source) error {
	t.last = 0
	t.left = formats.Tally{}
	for l := range s.Lines() {
		if strings.HasPrefix(strings.TrimSpace(l.Text), ";") {
			continue
		}
		r := swfRow(l)
		j, reason := t.swfJob(r)
		if err := t.add(r, j, reason); err != nil {
			return err
		}
	}
	noteLeft(t.Builder, s, t.left)
	return nil
}

// swfJob reads a job.
func (t swf) swfJob(r *read.Row) (j traces.JobRow, reason string) {
	seconds := span(time.Second)
	j = traces.JobRow{
		JobID:       r.Name("job_id"),
		T:           read.Field(r, "submit", since(time.Second, t.Beginning(r.Source))),
		QueueUs:     read.Maybe(r, "wait", seconds),
		DurationUs:  read.Maybe(r, "run", seconds),
		RequestedUs: read.Maybe(r, "requested_time", seconds),
		User:        r.MaybeName("user"),
		Model:       r.MaybeName("executable"),
		VC:          r.MaybeName("queue"),
		Status:      r.MaybeName("status"),
	}
	for _, name := range []string{"processors", "requested_processors"} {
		if n := read.Maybe(r, name, read.Number(0, traces.MaxMachines)); n != nil && j.GPUs == 0 {
			j.GPUs = *n
		}
	}
	switch {
	case j.GPUs == 0:
		return j, "without processors"
	case j.DurationUs == nil || *j.DurationUs == 0:
		return j, "without a length of time"
	case j.RequestedUs != nil && *j.RequestedUs == 0:
		j.RequestedUs = nil
	}
	return j, ""
}
