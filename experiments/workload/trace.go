package workload

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/marigram/marigram/experiments/spec/cluster"
	"github.com/marigram/marigram/internal/inputfile"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/catalogue"
	"github.com/marigram/marigram/traces/formats"
)

// read reads the trace of the spec.
func (w *Workload) read() error {
	x := w.spec.Jobs
	path := x.Trace
	if !strings.HasPrefix(path, catalogue.PulledPrefix) {
		path = w.spec.Path(path)
	}
	var set *traces.Set
	var report traces.Report
	var err error
	if x.Format == "" {
		set, report, err = catalogue.Load(path, traces.Options{})
	} else {
		set, report, err = formats.Import(x.Format, []string{path}, traces.Options{})
	}
	if err != nil {
		return err
	}
	w.Inputs = set.Manifest.Source.Files
	if err := w.whole(path); err != nil {
		return err
	}
	if len(set.Jobs) == 0 {
		return fmt.Errorf("%s has no jobs, expected a list of jobs", x.Trace)
	}
	if err := w.inOrder(set); err != nil {
		return err
	}
	w.Warnings = append(w.Warnings, report.Notes...)
	return w.take(set)
}

// whole refuses a text file whose last line has no end: its last job may be cut in its middle.
func (w *Workload) whole(path string) error {
	if !slices.Contains([]string{".csv", ".txt", ".tsv", ".trace"}, strings.ToLower(filepath.Ext(path))) || w.spec.Jobs.AllowTruncated {
		return nil
	}
	f, err := inputfile.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	last := make([]byte, 1)
	if at, err := f.Seek(-1, io.SeekEnd); err != nil || at < 0 {
		return nil // no file of lines; what is wrong with it was said
	}
	if _, err := f.Read(last); err != nil || last[0] == '\n' {
		return err
	}
	return fmt.Errorf("%s: the last line has no end: the trace may have been cut in its middle; expected a line break there, or allow_truncated: true", w.spec.Jobs.Trace)
}

// inOrder refuses rows that go back in time, unless the spec has them sorted.
func (w *Workload) inOrder(set *traces.Set) error {
	rows := slices.Clone(set.Jobs)
	slices.SortStableFunc(rows, func(a, b traces.JobRow) int {
		return cmp.Or(cmp.Compare(a.SrcFile, b.SrcFile), cmp.Compare(a.SrcRow, b.SrcRow))
	})
	back, first := 0, -1
	for i := 1; i < len(rows); i++ {
		if rows[i].SrcFile == rows[i-1].SrcFile && rows[i].T < rows[i-1].T {
			if back++; first < 0 {
				first = i
			}
		}
	}
	switch {
	case back == 0:
		return nil
	case w.spec.Jobs.Disorder == cluster.SortRows:
		w.Warnings = append(w.Warnings, fmt.Sprintf("%d rows of the trace go back in time: they were put in order (disorder: sort)", back))
		return nil
	}
	return fmt.Errorf("%s: job %s is submitted before the row above it, and %d rows in all go back in time; expected rows in order of submission, or disorder: sort",
		where(set, &rows[first]), rows[first].JobID, back)
}

// where names the file and line of a job.
func where(set *traces.Set, j *traces.JobRow) string {
	name := ""
	if files := set.Manifest.Source.Files; int(j.SrcFile) < len(files) {
		name = files[j.SrcFile].Path
	}
	return fmt.Sprintf("%s:%d", name, j.SrcRow)
}

// take turns the rows of a trace into jobs.
func (w *Workload) take(set *traces.Set) error {
	first, parts := set.Jobs[0].T, 0
	seen := map[string]bool{}
	for i := range set.Jobs {
		r := &set.Jobs[i]
		j := Job{ID: r.JobID, Kind: r.Model, User: r.User, VC: r.VC, Weight: 1, Submit: time.Duration(r.T-first) * time.Microsecond,
			durationOn: strings.ToLower(r.DurationOn), from: where(set, r)}
		if j.ID == "" {
			j.ID = strconv.Itoa(i)
		}
		if seen[j.ID] {
			return fmt.Errorf("%s: job %s is there twice, expected a name of its own", j.from, j.ID)
		}
		seen[j.ID] = true
		whole := math.Ceil(r.GPUs)
		if whole != r.GPUs {
			parts++
		}
		if j.GPUs = int(whole); j.GPUs < 1 {
			return fmt.Errorf("%s: job %s asks for %v GPUs, expected more than 0", j.from, j.ID, r.GPUs)
		}
		j.copyOptional(r)
		w.jobs = append(w.jobs, j)
	}
	if parts > 0 {
		w.Warnings = append(w.Warnings, fmt.Sprintf("%d jobs ask for a part of a GPU: their number of GPUs was rounded up, as GPUs are not shared", parts))
	}
	return nil
}

// copyOptional copies what a trace may say of a job.
func (j *Job) copyOptional(r *traces.JobRow) {
	if r.Weight != nil && *r.Weight > 0 {
		j.Weight = *r.Weight
	}
	if r.DeadlineUs != nil {
		j.Deadline = time.Duration(*r.DeadlineUs) * time.Microsecond
	}
	if r.Work != nil {
		j.steps = *r.Work
	}
	if r.DurationUs != nil {
		j.duration = time.Duration(*r.DurationUs) * time.Microsecond
	}
	if r.GPUType != "" {
		for model := range strings.SplitSeq(strings.ToLower(r.GPUType), "|") {
			j.models = append(j.models, strings.TrimSpace(model))
		}
	}
}
