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
var swfColumns = []string{"job_id", "submit", "wait", "run", "processors", "cpu", "memory", "requested_processors", "requested_time",
	"requested_memory", "status", "user", "group", "executable", "queue", "partition", "preceding", "think"}

// swfFormat reads the logs of the Parallel Workloads Archive.
var swfFormat = formats.Format{
	Name: "swf",
	Kind: formats.Jobs,
	What: "log in the Standard Workload Format of the Parallel Workloads Archive (Feitelson, Tsafrir and Krakov, JPDC 2014), of jobs on " +
		"processors: a processor is read as a GPU, those that were allocated, else those requested; user, executable (the model) and queue " +
		"(the virtual cluster) are numbers; requested_time is what the user asked for; jobs without a run time or without processors are " +
		"left out and counted",
	Example:   "; Version: 2.2\n1 0 10 3600 4 -1 -1 4 7200 -1 1 17 2 -1 -1 -1 -1 -1",
	Version:   1,
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
		c := swfCells(l)
		if len(c.text) < len(swfColumns) {
			return false
		}
		for _, name := range swfColumns[:12] {
			c.number(name, -1, traces.MaxInstant)
		}
		return c.err == nil
	}
	return false
}

// swfCells cuts a line into its fields; those that are not known are empty.
func swfCells(l read.Line) *cells {
	c := &cells{line: l, names: swfColumns}
	for at, rest := 0, l.Text; len(c.text) < len(swfColumns); {
		n := len(rest) - len(strings.TrimLeft(rest, " \t"))
		if at, rest = at+n, rest[n:]; rest == "" {
			break
		}
		n = len(rest)
		if end := strings.IndexAny(rest, " \t"); end >= 0 {
			n = end
		}
		text := rest[:n]
		if text == "-1" {
			text = ""
		}
		c.text, c.column = append(c.text, text), append(c.column, at+1)
		at, rest = at+n, rest[n:]
	}
	return c
}

type swf struct{ *table }

// Read adds the jobs of a log, and notes how many were left out, and why.
func (t swf) Read(s *read.Source) error {
	t.Manifest.Semantics, t.Manifest.ClockKind = traces.SemanticsJobs, t.RelativeClock()
	t.last, t.left = 0, formats.Tally{}
	for l := range s.Lines() {
		if strings.HasPrefix(strings.TrimSpace(l.Text), ";") {
			continue
		}
		if len(l.Text) > read.MaxToken {
			return l.Errorf("line of %d bytes, expected at most %d", len(l.Text), read.MaxToken)
		}
		c := swfCells(l)
		if len(c.text) < len(swfColumns) {
			return l.Errorf("%d fields, expected the %d of the Standard Workload Format", len(c.text), len(swfColumns))
		}
		j, reason := t.swfJob(c)
		if err := t.add(c, j, reason); err != nil {
			return err
		}
	}
	noteLeft(t.Builder, s, t.left)
	return nil
}

// swfJob reads a job.
func (t swf) swfJob(c *cells) (j traces.JobRow, reason string) {
	j = traces.JobRow{
		JobID: c.needed("job_id"), T: c.since("submit", time.Second, t.Beginning(c.line.Source)), QueueUs: c.span("wait", time.Second),
		DurationUs: c.span("run", time.Second), RequestedUs: c.span("requested_time", time.Second),
		User: c.name("user"), Model: c.name("executable"), VC: c.name("queue"), Status: c.name("status"),
	}
	for _, name := range []string{"processors", "requested_processors"} {
		if n := c.number(name, 0, traces.MaxMachines); n != nil && j.GPUs == 0 {
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
