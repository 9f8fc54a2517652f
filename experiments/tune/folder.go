package tune

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/store"
)

// Files of the answer.
const (
	ResultFile = "result.json"
	WinnerFile = "winner.yaml"
)

// parts is the folder of the chunks.
func (t *tuning) parts() string { return store.Join(t.options.Dir, "plan="+t.plan.Hash[:12]) }

func (t *tuning) part(c *chunk) string {
	return store.Join(t.parts(), fmt.Sprintf("part-%06d.parquet", c.number))
}

// read reads a chunk if it is there. What is in its place and is not the chunk gets another
// name.
func (t *tuning) read(ctx context.Context, c *chunk) (there bool, err error) {
	if t.options.Dir == "" {
		return false, nil
	}
	rows, part, err := results.ReadPart(ctx, t.part(c))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case errors.Is(err, store.ErrUnreached):
		return false, err
	case err == nil:
		err = t.checkChunk(c, &part, rows)
	}
	if err == nil {
		c.rows = rows
		t.made.Add(int64(len(rows)))
		return true, nil
	}
	to, moved := store.SetAside(ctx, t.part(c), "damaged")
	if moved == nil {
		t.options.Notice(fmt.Sprintf("%v; kept as %s, and the chunk is made again", err, filepath.Base(to)))
	}
	return false, moved
}

// checkChunk says why a file is not this chunk of this plan.
func (t *tuning) checkChunk(c *chunk, part *results.Part, rows []results.SweepRow) error {
	if part.Plan != t.plan.Hash || part.Chunk != c.number || len(rows) != len(c.candidates)*(c.to-c.from) {
		return fmt.Errorf("%s: is no chunk %d of this plan", t.part(c), c.number)
	}
	for i := range rows {
		row := &rows[i]
		candidate := int64(c.candidates[i%len(c.candidates)])
		on := t.blocks.at(c.stage, c.from+i/len(c.candidates))
		if row.Cell != candidate || row.Seed != on.Seed || row.StartS != on.Start.Seconds() {
			return fmt.Errorf("%s: row %d is another run than the plan's", t.part(c), i)
		}
	}
	return nil
}

// write keeps a chunk, if there is a folder.
func (t *tuning) write(ctx context.Context, c *chunk) error {
	if t.options.Dir == "" {
		return nil
	}
	failed := int64(0)
	for i := range c.rows {
		if c.rows[i].Error != "" {
			failed++
		}
	}
	from := results.Provenance{
		Version:     t.plan.Version,
		Commit:      t.plan.Commit,
		SpecName:    t.field.base.Name,
		SpecSHA256:  t.plan.SpecSHA256,
		Inputs:      t.plan.Inputs,
		Seed:        t.blocks.first,
		CommandLine: []string{"marigram", "tune", t.plan.Question.Spec},
		GOARCH:      t.plan.GOARCH,
	}
	part := results.Part{Provenance: from, Plan: t.plan.Hash, Chunk: c.number, Failed: failed}
	return results.WritePart(ctx, t.part(c), part, c.rows)
}

// keep writes the answer into the folder.
func (t *tuning) keep(ctx context.Context, a *Answer) error {
	if t.options.Dir == "" {
		return nil
	}
	text, err := json.MarshalIndent(a, "", "  ")
	if err != nil {
		return err
	}
	if err := store.WriteBytes(ctx, store.Join(t.options.Dir, ResultFile), append(text, '\n')); err != nil {
		return err
	}
	path := store.Join(t.options.Dir, WinnerFile)
	if a.WinnerYAML == "" {
		return store.Remove(ctx, path)
	}
	return store.WriteBytes(ctx, path, []byte(a.Text()))
}
