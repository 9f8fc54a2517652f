package formats

import (
	"context"

	"github.com/marigram/marigram/internal/registry"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats/read"
)

// Memory is how little of an import is in memory.
type Memory struct {
	Spill int    // rows of prices that wait; 0: all
	Dir   string // where the others wait
	Max   int    // rows and names; 0: the usual bound
}

// ImportText imports one text.
func ImportText(ctx context.Context, format string, s *read.Source, opt traces.Options, m Memory) (*traces.Set, traces.Report, error) {
	r := newRun(ctx, opt)
	r.prices.limit, r.prices.dir = m.Spill, m.Dir
	defer r.prices.close()
	if m.Max > 0 {
		r.files.max = m.Max
	}
	f, err := Named(format)
	if err != nil {
		return nil, r.Report, err
	}
	r.use(&f)
	if err := r.add(s); err != nil {
		return nil, r.Report, err
	}
	if err := r.settle(); err != nil {
		return nil, r.Report, err
	}
	set, err := r.collect()
	return set, r.Report, err
}

// ImportToSpilling is ImportTo with fewer prices in memory.
func ImportToSpilling(ctx context.Context, spill int, paths []string, opt traces.Options, dir string) (traces.Report, error) {
	r := newRun(ctx, opt)
	r.prices.limit = spill
	err := r.importTo("", paths, dir)
	return r.Report, err
}

// Recognised returns the name of the format that a text has.
func Recognised(s *read.Source) (string, error) {
	f, err := recognised(s)
	if f == nil {
		return "", err
	}
	return f.Name, err
}

// SpillRows is how many rows of prices wait in memory.
const SpillRows = spillRows

// Restore brings the formats back that were registered before.
func Restore(before []Format) {
	registered = registry.Of("format", func(f Format) string { return f.Name }, before...)
}
