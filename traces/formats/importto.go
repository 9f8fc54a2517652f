package formats

import (
	"cmp"
	"context"

	"github.com/marigram/marigram/traces"
)

// ImportTo is Import followed by Set.Write, in memory that does not grow with
// the rows of prices, nor with the files of formats that hold prices alone: rows
// wait on disk, in dir, in files that are gone when it returns. Errors of writing
// are a *WriteError. After an error, and when ctx is cancelled, dir is as it was.
func ImportTo(ctx context.Context, format string, paths []string, opt traces.Options, dir string) (traces.Report, error) {
	b := newBuild(opt)
	b.ctx, b.prices.limit = ctx, spillRows
	err := b.importTo(format, paths, dir)
	return b.report, err
}

func (b *build) importTo(format string, paths []string, dir string) error {
	return traces.Create(dir, func(w *traces.Writer) error {
		b.prices.dir = w.Dir()
		defer b.prices.close()
		im, err := b.readAll(format, paths)
		if err != nil {
			return err
		}
		set, err := b.finish(im, func(rows []traces.PriceRow) error {
			return cmp.Or(b.ctx.Err(), w.AppendPrices(rows, len(b.set.Pools)))
		})
		if err != nil {
			return err
		}
		return w.Finish(set)
	})
}
