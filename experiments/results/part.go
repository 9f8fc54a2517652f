package results

import (
	"context"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"

	"github.com/marigram/marigram/internal/columnar"
)

// SweepRow is one run of a sweep: the row of a run with where it stands in the
// sweep.
type SweepRow struct {
	Summary
	Cell       int64  `col:"cell" doc:"number of the cell: the combination of parameters"`
	Parameters string `col:"parameters" doc:"the cell's parameters: JSON, an object of values by path in the spec"`
	Error      string `col:"error" doc:"why the run failed; empty if it did not. A failed run has NaN for its fractions and zeros for its counts"`
}

// asked are the columns that say what was asked for, which a failed run has too.
var asked = []string{"objective_loss", "objective_s", "objective_share", "horizon_s", "run", "seed", "start_s"}

// Fail makes r the row of a run that failed: what it names stays, its numbers are
// gone.
func (r *SweepRow) Fail(err error) {
	r.Error = err.Error()
	r.Warnings = ""
	row := reflect.ValueOf(&r.Summary).Elem()
	for i := range row.NumField() {
		field := row.Field(i)
		switch {
		case slices.Contains(asked, row.Type().Field(i).Tag.Get("col")), field.Kind() == reflect.String:
		case field.Kind() == reflect.Float64:
			field.SetFloat(math.NaN())
		default:
			field.SetZero()
		}
	}
}

// Part says what a file of sweep rows is: a chunk, or all chunks merged.
type Part struct {
	Provenance Provenance
	Plan       string // hash of the sweep's plan, hexadecimal
	Chunk      int    // its number, from 0; Merged for all of them
	Failed     int64  // runs that failed
}

// Merged is the Chunk of a file that holds all of them.
const Merged = -1

const (
	keyPlan   = "marigram.plan"
	keyChunk  = "marigram.chunk"
	keyFailed = "marigram.failed"
)

func (p *Part) meta() map[string]string {
	meta := p.Provenance.Meta()
	maps.Copy(meta, map[string]string{keyPlan: p.Plan, keyChunk: strconv.Itoa(p.Chunk),
		keyFailed: strconv.FormatInt(p.Failed, 10)})
	return meta
}

func partOf(path string, meta map[string]string) (p Part, err error) {
	p.Provenance, err = provenanceOf(meta)
	p.Plan = meta[keyPlan]
	if err == nil {
		p.Chunk, err = strconv.Atoi(meta[keyChunk])
	}
	if err == nil {
		p.Failed, err = strconv.ParseInt(meta[keyFailed], 10, 64)
	}
	if err == nil && p.Plan == "" {
		err = fmt.Errorf("metadata have no %s", keyPlan)
	}
	if err != nil {
		return p, fmt.Errorf("%s: not a part of a sweep: %w", path, err)
	}
	return p, nil
}

// WritePart writes a file of sweep rows, one row group for up to 64 Ki of them: under a
// temporary name in its folder, synced, then renamed; or into an object store in one put.
// When ctx is done it gives up and writes nothing.
func WritePart(ctx context.Context, path string, p Part, rows []SweepRow) error {
	return new(PartWriter).Write(ctx, path, p, rows)
}

// A PartWriter is WritePart for one file after the other, in memory that is used again. The zero value is ready; it is
// for one goroutine.
type PartWriter struct{ memory columnar.Memory }

// Write is WritePart.
func (w *PartWriter) Write(ctx context.Context, path string, p Part, rows []SweepRow) error {
	return columnar.WriteIn(ctx, &w.memory, path, p.meta(), rows)
}

// CreatePart begins a file of sweep rows that come bit by bit, each a row group.
func CreatePart(path string, p Part) (*columnar.Writer[SweepRow], error) {
	return columnar.Create[SweepRow](path, p.meta())
}

// CreateCSV begins the same as comma-separated values, which say nothing of
// where they come from.
func CreateCSV(path string) (*columnar.CSV[SweepRow], error) {
	return columnar.CreateCSV[SweepRow](path)
}

// ReadPart reads a file of sweep rows, and gives up when ctx is done. Errors name the file.
func ReadPart(ctx context.Context, path string) ([]SweepRow, Part, error) {
	rows, meta, err := columnar.ReadUntil[SweepRow](ctx, path)
	if err != nil {
		return nil, Part{}, err
	}
	p, err := partOf(path, meta)
	return rows, p, err
}

// InspectPart checks a file of sweep rows against its checksum and says what it
// is and how many rows it has, without decoding them. Errors name the file. It gives up
// when ctx is done.
func InspectPart(ctx context.Context, path string) (p Part, rows int64, err error) {
	meta, rows, err := columnar.InspectUntil(ctx, path)
	if err != nil {
		return Part{}, 0, err
	}
	p, err = partOf(path, meta)
	return p, rows, err
}
