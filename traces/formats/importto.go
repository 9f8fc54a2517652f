package formats

import (
	"cmp"
	"context"

	"github.com/marigram/marigram/traces"
)

// ImportTo is Import followed by Set.Write, in memory that does not grow with
// the rows of prices, nor with the files of formats that hold prices alone: rows
// wait on disk, in dir, in files that are gone when it returns. Errors of writing
// are a *traces.WriteError. After an error, and when ctx is cancelled, dir is as it
// was.
func ImportTo(ctx context.Context, format string, paths []string, opt traces.Options, dir string) (traces.Report,
	error) {
	r := newRun(ctx, opt)
	r.prices.limit = spillRows
	err := r.importTo(format, paths, dir)
	return r.Report, err
}

func (r *run) importTo(format string, paths []string, dir string) error {
	return traces.Create(dir, func(w *traces.Writer) error {
		r.prices.dir = w.Dir()
		defer r.prices.close()
		if err := r.read(format, paths); err != nil {
			return err
		}
		set, err := r.finish(r.format, func(rows []traces.PriceRow) error {
			return cmp.Or(r.files.ctx.Err(), w.AppendPrices(rows, len(r.set.Pools)))
		})
		if err != nil {
			return err
		}
		return w.Finish(set)
	})
}
