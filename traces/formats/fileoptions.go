package formats

import "github.com/marigram/marigram/traces"

// maxFileBytes is how much text of a file may be held in memory.
func maxFileBytes(o *traces.Options) int64 {
	if o.MaxFileBytes == 0 {
		return traces.DefaultMaxFileBytes
	}
	return o.MaxFileBytes
}

// beginning returns the instant at which a relative file begins.
func beginning(o *traces.Options, s *source) int64 {
	us := o.Offsets[s.stem()].Microseconds()
	if !o.Start.IsZero() {
		us += o.Start.UnixMicro()
	}
	return us
}

// relativeClock is the kind of clock of a file that counts from its own beginning.
func relativeClock(o *traces.Options) string {
	if o.Start.IsZero() {
		return traces.ClockRelative
	}
	return traces.ClockUTC
}
