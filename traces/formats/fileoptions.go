package formats

import (
	"cmp"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats/read"
)

// maxFileBytes is how much text of a file may be held in memory.
func maxFileBytes(o *traces.Options) int64 { return cmp.Or(o.MaxFileBytes, traces.DefaultMaxFileBytes) }

// Beginning returns the instant at which a relative file begins, us UTC.
func (b *Builder) Beginning(s *read.Source) int64 {
	o := &b.Options
	us := o.Offsets[s.Stem()].Microseconds()
	if !o.Start.IsZero() {
		us += o.Start.UnixMicro()
	}
	return us
}

// RelativeClock is the kind of clock of files that count from their own beginning.
func (b *Builder) RelativeClock() string {
	if b.Options.Start.IsZero() {
		return traces.ClockRelative
	}
	return traces.ClockUTC
}
