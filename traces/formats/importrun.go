package formats

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats/read"
	"github.com/marigram/marigram/traces/ownruns"
)

// ImportRun reads the files of one run, of any formats, and merges them. An empty format is recognised
// by content, file by file. Formats of markets are taken for what they say of machines and prices.
// The options Zone and InstanceType are those of machines where the records do not say them, TraceID
// is the run's name (by default that of the first file). Errors in the data are a *traces.DataError.
func ImportRun(format string, paths []string, opt traces.Options) (*ownruns.Run, error) {
	if len(paths) == 0 {
		return nil, errors.New("no records of a run to read")
	}
	var runs []*ownruns.Run
	for _, path := range paths {
		in, err := readRunFile(format, path, opt)
		if err != nil {
			return nil, err
		}
		r, err := in.run()
		if err != nil {
			return nil, err
		}
		if r.Relative && !opt.Start.IsZero() {
			r.StartAt(opt.Start.UnixMicro())
		}
		runs = append(runs, r)
	}
	run, err := ownruns.Merge(opt.TraceID, runs...)
	if err != nil {
		return nil, err
	}
	fillIn(run, &opt)
	return run, nil
}

// fillIn sets what the options say of machines where records are silent.
func fillIn(run *ownruns.Run, opt *traces.Options) {
	for i := range run.Events {
		if e := &run.Events[i]; e.Kind.OfMachine() || e.Kind == ownruns.Requested || e.Kind == ownruns.Refused {
			e.Zone = cmp.Or(e.Zone, opt.Zone)
			e.Type = cmp.Or(e.Type, opt.InstanceType)
		}
	}
}

// readRunFile reads one file.
func readRunFile(format, path string, opt traces.Options) (*RunFile, error) {
	s, err := read.Open(context.Background(), path, read.WindowBytes)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if s.Empty() {
		return nil, s.Errorf(0, 0, "is empty")
	}
	f, err := formatOfRun(s, format)
	if err != nil {
		return nil, err
	}
	in := &RunFile{Source: s, Options: opt}
	if f.Kind == Run {
		err = f.Records.Read(in)
	} else {
		err = in.readMarket(f)
	}
	if err != nil {
		return nil, err
	}
	return in, s.Err()
}

// formatOfRun returns the format of a file: a named one, or that which knows it.
func formatOfRun(s *read.Source, name string) (*Format, error) {
	if name != "" {
		f, err := Named(name)
		return &f, err
	}
	f, err := recognised(s)
	if err != nil || f != nil {
		return f, err
	}
	var names []string
	for _, f := range RunFormats() {
		names = append(names, f.Name)
	}
	return nil, s.Errorf(0, 0, "has no known format%s; name it (--format): %s; or bring it to the plain CSV %q",
		s.Odd(), strings.Join(names, ", "), ownruns.Header)
}

// readMarket takes the machines and prices of a market's format for those of the run.
func (in *RunFile) readMarket(f *Format) error {
	opt := traces.Options{Zone: in.Options.Zone, InstanceType: in.Options.InstanceType}
	set, report, err := Import(f.Name, []string{in.Path}, opt)
	if err != nil {
		return err
	}
	if len(set.InstanceEvents)+len(set.Prices) == 0 {
		return in.Errorf(0, 0, "is a trace of format %s without machines' events or prices: it says nothing of a run",
			f.Name)
	}
	r, err := ownruns.FromTrace(set)
	if err != nil {
		return in.Errorf(0, 0, "%v", err)
	}
	in.Events = r.Events
	in.Relative = r.Relative
	for _, note := range append(report.Notes, r.Notes...) {
		in.Note("%s", note)
	}
	return nil
}
