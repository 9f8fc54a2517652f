package workload

import (
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/marigram/marigram/experiments/spec/cluster"
	"github.com/marigram/marigram/internal/store"
	"github.com/marigram/marigram/traces"
)

// read reads the trace of the spec, row by row, into a spool.
func (w *Workload) read() error {
	t := taking{of: w, jobStore: &jobStore{}, seen: map[[2]uint64]int64{}}
	path, files, report, err := w.load(t.take)
	w.Inputs = files
	switch {
	case t.problem != "":
		return fmt.Errorf("%s%s", w.place(&t.job), t.problem)
	case err != nil:
		return err
	}
	if err := w.checkWhole(path); err != nil {
		return err
	}
	if t.jobStore.n == 0 {
		return fmt.Errorf("%s has no jobs, expected a list of jobs", w.spec.Jobs.Trace)
	}
	if err := t.checkOrder(); err != nil {
		return err
	}
	w.Warnings = append(w.Warnings, report.Notes...)
	if t.parts > 0 {
		w.Warnings = append(w.Warnings, fmt.Sprintf("%d jobs ask for a part of a GPU: "+
			"their number of GPUs was rounded up, as GPUs are not shared", t.parts))
	}
	w.jobs = t.jobStore
	return w.jobs.seal()
}

// checkWhole refuses a text file whose last line has no end: its last job may be cut in its middle.
func (w *Workload) checkWhole(path string) error {
	isText := slices.Contains([]string{".csv", ".txt", ".tsv", ".trace"}, strings.ToLower(filepath.Ext(path)))
	if !isText || w.spec.Jobs.AllowTruncated {
		return nil
	}
	f, err := store.OpenInput(path)
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
	return fmt.Errorf("%s: the last line has no end: the trace may have been cut in its middle; expected a line break "+
		"there, or allow_truncated: true",
		w.spec.Jobs.Trace)
}

// taking is the reading of a trace.
type taking struct {
	of       *Workload
	jobStore *jobStore
	seen     map[[2]uint64]int64 // names, as two hashes of each: their lines
	rows     int
	last     int64 // us, of the row before
	from     int32 // its file
	parts    int   // jobs that ask for a part of a GPU

	gap     time.Duration // by which the first of them goes back
	back    int           // rows that go back in time
	first   Job           // the first of them
	job     Job           // the last one
	problem string
}

var (
	seeds    = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}
	errTaken = errors.New("a job that is wrong")
)

// take takes a row of the trace.
func (t *taking) take(r *traces.JobRow) error {
	if t.problem = t.jobOf(r); t.problem != "" {
		return errTaken
	}
	if t.rows > 0 && r.SrcFile == t.from && r.T < t.last {
		if t.back == 0 {
			t.first = t.job
			t.gap = time.Duration(t.last-r.T) * time.Microsecond
		}
		t.back++
	}
	t.rows++
	t.last = r.T
	t.from = r.SrcFile
	if err := t.jobStore.add(&t.job, r.T); err != nil {
		t.problem = err.Error()
		return errTaken
	}
	return nil
}

// jobOf makes the job of a row, and says what is wrong with it.
func (t *taking) jobOf(r *traces.JobRow) (problem string) {
	t.job = Job{ID: r.JobID, Kind: r.Model, User: r.User, VC: r.VC, Weight: 1,
		durationOn: strings.ToLower(r.DurationOn), file: r.SrcFile, line: r.SrcRow}
	j := &t.job
	if j.ID == "" {
		j.ID = strconv.Itoa(t.rows)
	}
	name := [2]uint64{maphash.String(seeds[0], j.ID), maphash.String(seeds[1], j.ID)}
	if line, twice := t.seen[name]; twice {
		return fmt.Sprintf("job %s is there twice, in line %d as well, expected a name of its own", j.ID, line)
	}
	t.seen[name] = r.SrcRow
	whole := math.Ceil(r.GPUs)
	if !(whole >= 1 && whole <= traces.MaxMachines) {
		return fmt.Sprintf("job %s asks for %v GPUs, expected more than 0, at most %d",
			j.ID, r.GPUs, traces.MaxMachines)
	}
	j.GPUs = int(whole)
	if whole != r.GPUs {
		t.parts++
	}
	j.copyOptional(r)
	inOrder := 1 <= j.Least && j.Least <= j.GPUs && j.GPUs <= j.Most && j.Most <= traces.MaxMachines
	if j.Most > 0 && !inOrder {
		return fmt.Sprintf("job %s trains on %d to %d GPUs and asks for %d, "+
			"expected a number between them, and at least 1", j.ID, j.Least, j.Most, j.GPUs)
	}
	return ""
}

// checkOrder refuses rows that go back in time, unless the spec has them sorted.
func (t *taking) checkOrder() error {
	w := t.of
	switch {
	case t.back == 0:
		return nil
	case w.spec.Jobs.Disorder == cluster.SortRows:
		w.Warnings = append(w.Warnings, fmt.Sprintf("%d rows of the trace go back in time: they were put in order "+
			"(disorder: sort)", t.back))
		return nil
	}
	return fmt.Errorf("%sjob %s is submitted %v before the row above it, and %d rows in all go back in time; expected "+
		"rows in order of "+
		"submission, or disorder: sort",
		w.place(&t.first), t.first.ID, t.gap, t.back)
}

// copyOptional copies what a trace may say of a job.
func (j *Job) copyOptional(r *traces.JobRow) {
	if r.Weight != nil && *r.Weight > 0 {
		j.Weight = *r.Weight
	}
	if r.DeadlineUs != nil {
		j.Deadline = time.Duration(*r.DeadlineUs) * time.Microsecond
	}
	if r.MinGPUs != nil && r.MaxGPUs != nil {
		j.Least = int(*r.MinGPUs)
		j.Most = int(*r.MaxGPUs)
	}
	if r.Work != nil {
		j.steps = *r.Work
	}
	if r.DurationUs != nil {
		j.duration = time.Duration(*r.DurationUs) * time.Microsecond
	}
	if r.RequestedUs != nil {
		j.requested = time.Duration(*r.RequestedUs) * time.Microsecond
	}
	if r.GPUType != "" {
		for model := range strings.SplitSeq(strings.ToLower(r.GPUType), "|") {
			j.models = append(j.models, strings.TrimSpace(model))
		}
	}
}
