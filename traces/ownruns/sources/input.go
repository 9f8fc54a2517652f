package sources

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/marigram/marigram/traces/formats/read"
	"github.com/marigram/marigram/traces/ownruns"
)

// Options say what records do not.
type Options struct {
	Name   string // of the run; by default the name of the first file
	Format string // of all files; by default each by its content
	Job    string // which run of a file that holds several
	// Start is when a run began whose records count time from their own beginning; zero: such
	// files cannot be merged with others.
	Start time.Time
	// Location is that of clocks whose records do not say it (Slurm's, for instance); nil: UTC.
	Location     *time.Location
	Zone         string // zone of machines, where the records do not say it
	InstanceType string // their instance type, the same
}

// Input is one file that is read, and what it said so far.
type Input struct {
	*read.Source
	Options  Options
	events   []ownruns.Event
	notes    []string
	relative bool
	zoneless bool
	jobs     map[string]bool
}

// Add adds an event.
func (in *Input) Add(e ownruns.Event) { in.events = append(in.events, e) }

// Note adds a note, once.
func (in *Input) Note(format string, args ...any) {
	if text := in.Base() + ": " + fmt.Sprintf(format, args...); !slices.Contains(in.notes, text) {
		in.notes = append(in.notes, text)
	}
}

// Wanted reports whether the records of a job belong to the run.
func (in *Input) Wanted(job string) bool {
	if in.jobs == nil {
		in.jobs = map[string]bool{}
	}
	if len(in.jobs) < 1000 {
		in.jobs[job] = true
	}
	return in.Options.Job == "" || in.Options.Job == job
}

// run makes a run of what was read.
func (in *Input) run() (*ownruns.Run, error) {
	if err := in.oneJob(); err != nil {
		return nil, err
	}
	if len(in.events) == 0 {
		return nil, in.Errorf(0, 0, "has no records that say anything of a run%s", strings.Join(append([]string{""}, in.notes...), "; "))
	}
	if len(in.events) > ownruns.MaxEvents {
		return nil, in.Errorf(0, 0, "has more than %d events, expected at most that; leave out steps", ownruns.MaxEvents)
	}
	if in.zoneless && in.Options.Location == nil {
		in.Note("its times have no zone and were taken as UTC; the zone can be named (--time-zone)")
	}
	r, err := ownruns.New(in.Stem(), in.relative, []string{in.Path}, in.events)
	if err != nil {
		return nil, in.Errorf(0, 0, "%v", err)
	}
	for _, note := range in.notes {
		r.Note("%s", note)
	}
	return r, nil
}

// oneJob refuses records of several jobs of which none was chosen, and of none that was.
func (in *Input) oneJob() error {
	var names []string
	for name := range in.jobs {
		names = append(names, name)
	}
	slices.Sort(names)
	list := strings.Join(names[:min(len(names), 20)], ", ")
	switch {
	case in.Options.Job == "" && len(names) > 1:
		return in.Errorf(0, 0, "holds %d jobs (%s), expected one run; choose it with --job", len(names), list)
	case in.Options.Job != "" && len(names) > 0 && !in.jobs[in.Options.Job]:
		return in.Errorf(0, 0, "has no job %q; it has %s", in.Options.Job, list)
	}
	return nil
}
