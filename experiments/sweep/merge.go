package sweep

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/store"
)

// table is a file that rows are written to.
type table interface {
	Append(rows []results.SweepRow) error
	Close() error
	Abort()
}

// Merge writes all chunks into one file, in the order of the runs: Parquet, a row
// group a chunk, or CSV where the path ends in .csv. It refuses a sweep that is
// not complete, naming what is not there, and leaves nothing behind where it
// fails. Its memory is that of a chunk.
func (f *Folder) Merge(ctx context.Context, path string) (Status, error) {
	status, err := f.Status()
	if err != nil {
		return status, err
	}
	if len(status.Missing) > 0 {
		return status, fmt.Errorf("%d of %d chunks are missing: %s%s",
			len(status.Missing), status.Chunks, firstFew(status.Missing), because(status.Faults))
	}
	if err := store.MakeFolderOf(path); err != nil {
		return status, err
	}
	out, err := f.create(path, status.Broken)
	if err != nil {
		return status, err
	}
	err = f.Rows(func(rows []results.SweepRow) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return out.Append(rows)
	})
	if err != nil {
		out.Abort()
		return status, err
	}
	return status, out.Close()
}

func (f *Folder) create(path string, failed int64) (table, error) {
	if filepath.Ext(path) == ".csv" {
		return results.CreateCSV(path)
	}
	return results.CreatePart(path, results.Part{
		Provenance: f.Plan.Provenance(),
		Plan:       f.Plan.Hash,
		Chunk:      results.Merged,
		Failed:     failed,
	})
}

// firstFew names the first few of some chunks.
func firstFew(chunks []int) string {
	var names []string
	for _, c := range chunks[:min(len(chunks), 8)] {
		names = append(names, fmt.Sprint(c))
	}
	if len(chunks) > len(names) {
		names = append(names, "...")
	}
	return strings.Join(names, ", ")
}

func because(faults []string) string {
	if len(faults) == 0 {
		return ""
	}
	return "; " + strings.Join(faults[:min(len(faults), 8)], "; ")
}
