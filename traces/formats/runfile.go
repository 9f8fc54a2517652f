package formats

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats/read"
	"github.com/marigram/marigram/traces/ownruns"
)

// RunFile is one file of records of a run, and what it said so far.
type RunFile struct {
	*read.Source
	// Options say what the records do not.
	Options traces.Options
	// Events are those that were read. Readers add to them.
	Events []ownruns.Event
	// Relative says that times count from the run's own beginning.
	Relative bool
	// Zoneless says that a time came without its zone.
	Zoneless bool
	notes    []string
	jobs     map[string]bool
}

// Add adds an event.
func (in *RunFile) Add(e ownruns.Event) { in.Events = append(in.Events, e) }

// Note adds a note, once.
func (in *RunFile) Note(format string, args ...any) {
	if text := in.Base() + ": " + fmt.Sprintf(format, args...); !slices.Contains(in.notes, text) {
		in.notes = append(in.notes, text)
	}
}

// Wanted reports whether the records of a job belong to the run.
func (in *RunFile) Wanted(job string) bool {
	if in.jobs == nil {
		in.jobs = map[string]bool{}
	}
	if len(in.jobs) < 1000 {
		in.jobs[job] = true
	}
	return in.Options.Job == "" || in.Options.Job == job
}

// SeveralJobs reports whether the records are of several jobs so far, of which none was chosen.
func (in *RunFile) SeveralJobs() bool { return in.Options.Job == "" && len(in.jobs) > 1 }

// run makes a run of what was read.
func (in *RunFile) run() (*ownruns.Run, error) {
	if err := in.oneJob(); err != nil {
		return nil, err
	}
	if len(in.Events) == 0 {
		notes := strings.Join(append([]string{""}, in.notes...), "; ")
		return nil, in.Errorf(0, 0, "has no records that say anything of a run%s", notes)
	}
	if len(in.Events) > ownruns.MaxEvents {
		return nil, in.Errorf(0, 0, "has more than %d events, expected at most that; leave out steps",
			ownruns.MaxEvents)
	}
	if in.Zoneless && in.Options.Location == nil {
		in.Note("its times have no zone and were taken as UTC; the zone can be named (--time-zone)")
	}
	r, err := ownruns.New(in.Stem(), in.Relative, []string{in.Path}, in.Events)
	if err != nil {
		return nil, in.Errorf(0, 0, "%v", err)
	}
	for _, note := range in.notes {
		r.Note("%s", note)
	}
	return r, nil
}

// oneJob refuses records of several jobs of which none was chosen, and of none that was.
func (in *RunFile) oneJob() error {
	names := slices.Sorted(maps.Keys(in.jobs))
	list := strings.Join(names[:min(len(names), 20)], ", ")
	switch {
	case in.SeveralJobs():
		return in.Errorf(0, 0, "holds %d jobs (%s), expected one run; choose it with --job", len(names), list)
	case in.Options.Job != "" && len(names) > 0 && !in.jobs[in.Options.Job]:
		return in.Errorf(0, 0, "has no job %q; it has %s", in.Options.Job, list)
	}
	return nil
}
