package sources

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
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

// Load reads the files of one run, of any formats, and merges them. Errors in the data are a
// *traces.DataError.
func Load(paths []string, opt Options) (*ownruns.Run, error) {
	if len(paths) == 0 {
		return nil, errors.New("no records of a run to read")
	}
	var runs []*ownruns.Run
	for _, path := range paths {
		r, err := loadFile(path, &opt)
		if err != nil {
			return nil, err
		}
		if r.Relative && !opt.Start.IsZero() {
			r.StartAt(opt.Start.UnixMicro())
		}
		runs = append(runs, r)
	}
	run, err := ownruns.Merge(opt.Name, runs...)
	if err != nil {
		return nil, err
	}
	fillIn(run, &opt)
	return run, nil
}

// fillIn sets what the options say of machines where records are silent.
func fillIn(run *ownruns.Run, opt *Options) {
	for i := range run.Events {
		if e := &run.Events[i]; e.Kind.OfMachine() || e.Kind == ownruns.Requested || e.Kind == ownruns.Refused {
			if e.Zone == "" {
				e.Zone = opt.Zone
			}
			if e.Type == "" {
				e.Type = opt.InstanceType
			}
		}
	}
}

// loadFile reads one file.
func loadFile(path string, opt *Options) (*ownruns.Run, error) {
	s, err := read.Open(context.Background(), path, read.WindowBytes)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if s.Empty() {
		return nil, s.Errorf(0, 0, "is empty")
	}
	f, err := formatOf(s, opt.Format)
	if err != nil {
		return nil, err
	}
	if f == nil {
		return ofTrace(s, opt)
	}
	in := &Input{Source: s, Options: *opt}
	if err := f.Read(in); err != nil {
		return nil, err
	}
	if err := s.Err(); err != nil {
		return nil, err
	}
	return in.run()
}

// formatOf returns the format of a file, nil where none knows it.
func formatOf(s *read.Source, name string) (*Format, error) {
	if name != "" {
		f, err := Named(name)
		return &f, err
	}
	var found *Format
	for i := range registered {
		f := &registered[i]
		if !f.Recognise(s.Beginning()) {
			continue
		}
		if found != nil {
			return nil, s.Errorf(0, 0, "has the format %s, and the format %s as well; name the format (--format)", found.Name, f.Name)
		}
		found = f
	}
	return found, nil
}

// ofTrace reads a file that package formats knows.
func ofTrace(s *read.Source, opt *Options) (*ownruns.Run, error) {
	set, report, err := formats.Import("", []string{s.Path}, traces.Options{Zone: opt.Zone, InstanceType: opt.InstanceType})
	if err != nil {
		if bad := (*traces.DataError)(nil); errors.As(err, &bad) && bad.Line == 0 && strings.Contains(bad.Msg, "no known format") {
			var names []string
			for _, f := range registered {
				names = append(names, f.Name)
			}
			return nil, s.Errorf(0, 0, "has no known format%s; name it (--format): %s; or bring it to the plain CSV %q", s.Odd(),
				strings.Join(names, ", "), ownruns.Header)
		}
		return nil, err
	}
	if len(set.InstanceEvents)+len(set.Prices) == 0 {
		return nil, s.Errorf(0, 0, "is a trace of format %s without machines' events or prices: it says nothing of a run", report.Format)
	}
	r, err := ownruns.FromTrace(set)
	if err != nil {
		return nil, err
	}
	r.Name = s.Stem()
	r.Files = slices.Clone(r.Files)
	for i := range r.Files {
		r.Files[i] = filepath.ToSlash(s.Path)
	}
	for _, note := range report.Notes {
		r.Note("%s", note)
	}
	return r, nil
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

// Jobs returns the names of the jobs of a file that may hold several, in order; none of
// other files.
func Jobs(path string, opt Options) ([]string, error) {
	s, err := read.Open(context.Background(), path, read.WindowBytes)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	f, err := formatOf(s, opt.Format)
	if err != nil || f == nil {
		return nil, err
	}
	in := &Input{Source: s, Options: opt}
	in.Options.Job = ""
	if err := f.Read(in); err != nil {
		return nil, err
	}
	var names []string
	for name := range in.jobs {
		names = append(names, name)
	}
	slices.Sort(names)
	return names, s.Err()
}
