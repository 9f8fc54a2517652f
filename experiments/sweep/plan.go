package sweep

import (
	"encoding/json"
	"path/filepath"
	"slices"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
)

// Plan is a sweep with everything numbered. Runs are numbered by cell, start,
// seed, objective, policy, the last fastest; a point is a cell, a start and a
// seed, whose runs meet the same luck, and a chunk n points in a row.
type Plan struct {
	Hash string `json:"hash"` // SHA-256 of what follows, but for Made
	Body
	Made Made `json:"made"`

	Warnings []string `json:"-"` // doubts about all runs of a cell

	studies  *studies // nil where the plan was read from its file
	firstRun []int64  // of each cell, and the number of runs
}

// Body is what results depend on.
type Body struct {
	Name        string           `json:"name"`
	Version     string           `json:"version"` // of the tool
	Commit      string           `json:"commit"`  // that it was built from
	GOARCH      string           `json:"goarch"`
	Schema      int              `json:"schema_version"`
	SpecSHA256  string           `json:"spec_sha256"` // of the sweep's file
	Overrides   []string         `json:"overrides"`   // of the command line
	Inputs      []results.Input  `json:"inputs"`
	Seed        int64            `json:"seed"` // the first
	Seeds       int              `json:"seeds"`
	StartsS     []float64        `json:"starts_s"` // from the start of the trace
	ChunkPoints int              `json:"chunk_points"`
	Cells       []Cell           `json:"cells"`
	Settings    [][]spec.Setting `json:"-"` // of the cells
}

// Cell is one combination of parameters.
type Cell struct {
	Parameters string   `json:"parameters"` // JSON: an object of values by path
	Objectives []string `json:"objectives"`
	Policies   []string `json:"policies"`
}

// Made says how the plan can be made again.
type Made struct {
	File  string `json:"file"`       // the sweep's
	Seeds int    `json:"seeds"`      // 0: the base's
	Chunk int    `json:"chunk_runs"` // 0: by the number of runs
}

func (p *Plan) hash() string {
	b, err := json.Marshal(p.Body)
	if err != nil {
		panic(err) // texts and finite numbers
	}
	return digest(b)
}

// Provenance is what every file of the sweep says of itself.
func (p *Plan) Provenance() results.Provenance {
	line := []string{"marigram", "sweep", filepath.Base(p.Made.File)}
	for _, x := range p.Overrides {
		line = append(line, "--set", x)
	}
	return results.Provenance{Version: p.Version, Commit: p.Commit, SpecName: p.Name, SpecSHA256: p.SpecSHA256,
		Inputs: p.Inputs,
		Seed:   p.Seed, CommandLine: line, GOARCH: p.GOARCH}
}

// Policies returns the names of the policies of all cells, sorted.
func (p *Plan) Policies() (names []string) {
	for i := range p.Cells {
		names = append(names, p.Cells[i].Policies...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
