// Package sweep runs many runs: the cells of a grid of parameters, each from many
// starts in a trace and under many seeds.
//
// A sweep is a plan (cells, starts, seeds, all numbered, and a hash of everything
// that its results depend on), cut into chunks of a fixed number of runs. Who runs
// a chunk, when, and beside how many others does not change a byte of it. A chunk
// is a Parquet file that appears under its name when it is complete; what is there
// is checked and not made again, so that a sweep that was stopped, by whatever,
// goes on where it was. Folder:
//
//	plan.json                        the plan
//	plan=HASH12/part-000000.parquet  a chunk
//	plan=HASH12/timings/*.csv        wall-clock facts, one file a process
//	plan=HASH12/shard-*.lock         empty: who makes chunks of a shard holds its lock
package sweep

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/goccy/go-yaml"

	"github.com/marigram/marigram/experiments/internal/document"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/fields"
	"github.com/marigram/marigram/internal/store"
)

// Spec says what to sweep. A file without base is a plain spec, swept over its
// seeds.
type Spec struct {
	Name    string          `json:"name,omitempty" jsonschema:"name in results; that of the base if absent"`
	About   string          `json:"about,omitempty" jsonschema:"what it is for"`
	Base    string          `json:"base" jsonschema:"spec file relative to this one, or the name of one that comes with marigram"`
	Matrix  yaml.MapSlice   `json:"matrix,omitempty" jsonschema:"values by path in the spec: every combination is a cell. A value may have a name for tables, titles and files: {name: short, value: 30}"`
	Zip     yaml.MapSlice   `json:"zip,omitempty" jsonschema:"values by path, lists of one length: the k-th values go together"`
	Include []yaml.MapSlice `json:"include,omitempty" jsonschema:"extra cells: values by path"`
	Exclude []yaml.MapSlice `json:"exclude,omitempty" jsonschema:"cells with all of these values are left out"`
	Seeds   int             `json:"seeds,omitempty" min:"1" jsonschema:"number of seeds of every cell; the base's if absent"`
	Starts  spec.Starts     `json:"starts,omitzero" jsonschema:"start times in a recorded trace: every_s, every or random; those of the base if absent"`
	Bound   bool            `json:"bound,omitempty" jsonschema:"also work out what no policy can beat: columns bound_usd, bound_spot_usd, without_foresight_usd, regret; about 0.1 s, on synthetic markets 0.3 s, for each cell, start, seed and objective"`
	Chunk   int             `json:"chunk_runs,omitempty" min:"1" max:"65536" jsonschema:"runs in a chunk, 1 to 65536; a 64th of all, 64 to 4096, if absent"`

	// AllowCommands lets the base's policies run their commands (spec.AllowCommands).
	AllowCommands bool `json:"-"`

	file   string
	source []byte
	given  []string // as Override had them
}

// MaxChunk is the most runs in a chunk: a row group.
const MaxChunk = 64 << 10

const (
	maxCells    = 100_000
	maxSpecSize = 1 << 20
	maxEveryS   = 20 * 366 * 86400
	maxPoints   = 1 << 40 // seeds, starts and cells in all
)

// Open reads a sweep spec: a file, or the name of a spec that comes with
// marigram. Errors name the file and the place.
func Open(name string) (*Spec, error) {
	if store.InputAbsent(name) && slices.Contains(spec.Builtin(), name) {
		return &Spec{Base: name, file: name}, nil
	}
	data, err := store.ReadInput(name, maxSpecSize)
	if err != nil {
		return nil, err
	}
	return parse(name, data)
}

func parse(name string, data []byte) (s *Spec, err error) {
	defer document.Guard(name, &s, &err)
	doc, err := document.Parse(name, "a sweep or a spec", data)
	if err != nil {
		return nil, err
	}
	if !doc.Has("$.base") {
		return &Spec{Base: filepath.Base(name), file: name, source: doc.Source}, nil
	}
	s = &Spec{file: name, source: doc.Source}
	if err := doc.Decode(s); err != nil {
		return nil, err
	}
	if err := doc.Check(s); err != nil {
		return nil, err
	}
	if err := s.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

func (s *Spec) check() error {
	if key, err := s.Starts.Complete(); err != nil {
		return fmt.Errorf("starts.%s: %w", key, err)
	}
	return fields.Check(s)
}

// Override replaces the values of one parameter, or adds it to the matrix:
// "market.replay.notice_s=30,120". Values are YAML, with commas between them.
func (s *Spec) Override(text string) error {
	path, values, err := document.Values(text)
	if err != nil {
		return err
	}
	s.given = append(s.given, text)
	if slices.ContainsFunc(s.Zip, func(x yaml.MapItem) bool { return x.Key == path }) {
		return fmt.Errorf("%q: %s is zipped with others, expected a parameter of its own", text, path)
	}
	for i := range s.Matrix {
		if s.Matrix[i].Key == path {
			s.Matrix[i].Value = values
			return nil
		}
	}
	s.Matrix = append(s.Matrix, yaml.MapItem{Key: path, Value: values})
	return nil
}
