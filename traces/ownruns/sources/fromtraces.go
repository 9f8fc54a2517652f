package sources

import (
	"fmt"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/ownruns"
)

// shared makes a format of one of package formats, whose importer reads it.
func shared(f Format) Format {
	about, err := formats.Named(f.Name)
	if err != nil {
		panic(err) // it is registered by the packages that this one imports
	}
	f.What = about.What
	f.Recognise = about.Recognise
	f.Read = func(in *Input) error {
		set, report, err := formats.Import(f.Name, []string{in.Path}, traces.Options{Zone: in.Options.Zone, InstanceType: in.Options.InstanceType})
		if err != nil {
			return err
		}
		r, err := ownruns.FromTrace(set)
		if err != nil {
			return fmt.Errorf("%s: %w", in.Path, err)
		}
		in.events, in.relative = r.Events, r.Relative
		for _, note := range append(report.Notes, r.Notes...) {
			in.Note("%s", note)
		}
		return nil
	}
	return f
}
