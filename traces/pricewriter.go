package traces

import (
	"errors"
	"path/filepath"

	"github.com/marigram/marigram/internal/columnar"
)

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
