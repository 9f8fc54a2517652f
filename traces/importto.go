package traces

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"

	"github.com/marigram/marigram/internal/columnar"
)

// ImportTo is Import followed by Set.Write, in memory that does not grow with
// the rows of prices, nor with the files of formats that hold prices alone: rows
// wait on disk, in dir, in files that are gone when it returns. Errors of writing
// are a *WriteError. After an error, and when ctx is cancelled, dir is as it was.
func ImportTo(ctx context.Context, format string, paths []string, opt Options, dir string) (Report, error) {
	b := newBuild(opt)
	b.ctx, b.prices.limit = ctx, spillRows
	err := b.importTo(format, paths, dir)
	return b.report, err
}

func (b *build) importTo(format string, paths []string, dir string) error {
	return replaceTrace(dir, func(staged string) error {
		b.prices.dir = staged
		defer b.prices.close()
		im, err := b.readAll(format, paths)
		if err != nil {
			return err
		}
		w := pricesWriter{dir: staged}
		defer w.abort()
		set, err := b.finish(im, func(rows []PriceRow) error {
			return cmp.Or(b.ctx.Err(), w.append(rows, len(b.set.Pools)))
		})
		if err != nil {
			return err
		}
		return w.finish(set)
	})
}

// pricesWriter writes the table of prices part by part, and the other tables
// when all is known.
type pricesWriter struct {
	dir string
	out *columnar.Writer[PriceRow] // nil: no rows yet
}

// append writes rows, which have their final numbers.
func (w *pricesWriter) append(rows []PriceRow, pools int) error {
	err := errors.Join(checkRows("prices", rows, pools), checkPrices(rows))
	if err != nil {
		return err
	}
	if w.out == nil {
		if w.out, err = columnar.Create[PriceRow](filepath.Join(w.dir, pricesFile), nil); err != nil {
			return &WriteError{err}
		}
	}
	if err := w.out.Append(rows); err != nil {
		return &WriteError{err}
	}
	return nil
}

// finish writes the manifest and all other tables.
func (w *pricesWriter) finish(set *Set) error {
	text, err := set.Manifest.encode()
	if err != nil {
		return err
	}
	meta := map[string]string{manifestKey: text}
	if w.out != nil {
		w.out.SetMeta(meta)
		if err := w.out.Close(); err != nil {
			return &WriteError{err}
		}
	}
	return set.writeTables(w.dir, meta)
}

// abort gives the table up, unless it was finished.
func (w *pricesWriter) abort() {
	if w.out != nil {
		w.out.Abort()
	}
}
