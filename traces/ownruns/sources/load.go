package sources

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
	"github.com/marigram/marigram/traces/ownruns"
)

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
