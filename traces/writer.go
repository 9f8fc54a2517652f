package traces

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/marigram/marigram/internal/columnar"
	"github.com/marigram/marigram/internal/store"
)

// Writer writes a trace whose prices, the one table that grows without bound, come
// part by part; see Create.
type Writer struct {
	dir    string
	prices *columnar.Writer[PriceRow] // nil: no rows yet
}

// WriteError is an error of writing a trace: the disk's, not the data's.
type WriteError struct{ Err error }

// Error is that of the disk.
func (e *WriteError) Error() string { return e.Err.Error() }

// Unwrap returns the disk's error.
func (e *WriteError) Unwrap() error { return e.Err }

// Create has fill write a trace, which appears in dir in place of an older one when
// fill returns nil, after Finish. After an error dir is as it was. Errors of writing
// are a *WriteError.
func Create(dir string, fill func(*Writer) error) error {
	return replaceTrace(dir, func(staged string) error {
		w := &Writer{dir: staged}
		defer w.abort()
		return fill(w)
	})
}

// Dir returns a folder for temporary files, which is gone when Create returns.
func (w *Writer) Dir() string { return w.dir }

// AppendPrices writes rows of prices that have their final numbers, after those
// written before; pools is how many pools there are.
func (w *Writer) AppendPrices(rows []PriceRow, pools int) error {
	err := errors.Join(checkRows("prices", rows, pools), checkPrices(rows))
	if err != nil {
		return err
	}
	if w.prices == nil {
		if w.prices, err = columnar.Create[PriceRow](filepath.Join(w.dir, pricesFile), nil); err != nil {
			return &WriteError{err}
		}
	}
	if err := w.prices.Append(rows); err != nil {
		return &WriteError{err}
	}
	return nil
}

// Finish writes the manifest and all other tables of a set.
func (w *Writer) Finish(set *Set) error {
	text, err := set.Manifest.encode()
	if err != nil {
		return err
	}
	meta := map[string]string{manifestKey: text}
	if w.prices != nil {
		w.prices.SetMeta(meta)
		if err := w.prices.Close(); err != nil {
			return &WriteError{err}
		}
	}
	return set.writeTables(w.dir, meta)
}

// abort gives the table of prices up, unless it was finished.
func (w *Writer) abort() {
	if w.prices != nil {
		w.prices.Abort()
	}
}

// replaceTrace has fill write tables into a new folder and moves them into dir,
// in place of those there. If that fails, dir is as it was.
func replaceTrace(dir string, fill func(staged string) error) error {
	var failed error
	_, err := store.Files(context.Background(), dir, tables, func(staged string) (written []string, err error) {
		if failed = fill(staged); failed != nil {
			return nil, failed
		}
		for _, name := range tables {
			if _, err := os.Stat(filepath.Join(staged, name)); err == nil {
				written = append(written, name)
			}
		}
		return written, nil
	})
	if err != nil && failed == nil {
		return &WriteError{err}
	}
	return err
}

// Write writes the set into a folder, which it makes, as one Parquet file for
// each table that has rows; tables of an older trace there are removed. The
// files appear when all are written; if that fails nothing in the folder
// changes. Each carries the manifest, so that Read notices a folder that was
// left half replaced.
func (s *Set) Write(dir string) error {
	if err := s.Check(); err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	text, err := s.Manifest.encode()
	if err != nil {
		return fmt.Errorf("%s: manifest: %w", dir, err)
	}
	return replaceTrace(dir, func(staged string) error {
		return s.writeTables(staged, map[string]string{manifestKey: text})
	})
}

func (s *Set) writeTables(dir string, meta map[string]string) error {
	err := errors.Join(
		writeTable(dir, pricesFile, meta, s.Prices),
		writeTable(dir, capacityFile, meta, s.Capacity),
		writeTable(dir, probesFile, meta, s.Probes),
		writeTable(dir, eventsFile, meta, s.InstanceEvents),
		writeTable(dir, jobsFile, meta, s.Jobs),
		writeTable(dir, gapsFile, meta, s.Gaps),
		columnar.Write(filepath.Join(dir, poolsFile), meta, s.Pools),
	)
	if err != nil {
		return &WriteError{err}
	}
	return nil
}

func writeTable[T any](dir, name string, meta map[string]string, rows []T) error {
	if len(rows) == 0 {
		return nil
	}
	return columnar.Write(filepath.Join(dir, name), meta, rows)
}
