package sweep

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/sim"
)

// Plan is a sweep with everything numbered. Runs are numbered by cell, start,
// seed, objective, policy, the last fastest; a point is a cell, a start and a
// seed, whose runs meet the same luck, and a chunk so many points in a row.
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
	StartsS     []float64        `json:"starts_s"` // from the start of the history
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

// Plan opens every cell and numbers everything, until ctx is done. Version and
// commit are the tool's. Errors say which cell they are about.
func (s *Spec) Plan(ctx context.Context, version, commit string) (*Plan, error) {
	settings, err := s.cells()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.file, err)
	}
	p := &Plan{Body: Body{Name: s.Name, Version: version, Commit: commit, GOARCH: runtime.GOARCH, Schema: results.SchemaVersion,
		SpecSHA256: digest(s.source), Overrides: s.given, StartsS: []float64{0}, Settings: settings}}
	p.Made = Made{File: s.file, Seeds: s.Seeds, Chunk: s.Chunk}
	if s.source != nil { // the name of a spec that comes with marigram stays
		if p.Made.File, err = filepath.Abs(s.file); err != nil {
			return nil, err
		}
	}
	p.studies = &studies{base: s.base(), seeds: s.Seeds, whole: s.Starts != StartsSpec{}, limit: 2*runtime.GOMAXPROCS(0) + 2}
	if err := p.open(ctx, &s.Starts); err != nil {
		return nil, fmt.Errorf("%s: %w", s.file, err)
	}
	for _, text := range p.Lacking() {
		p.Warnings = append(p.Warnings, text+": the same runs for every value")
	}
	p.number(s.Chunk)
	p.Hash = p.hash()
	return p, nil
}

// open opens the cells one after the other, and finds the starts that leave a
// whole horizon of history in all of them.
func (p *Plan) open(ctx context.Context, x *StartsSpec) error {
	last := time.Duration(math.MaxInt64)
	for i, settings := range p.Settings {
		if err := ctx.Err(); err != nil {
			return err
		}
		study, err := p.addCell(i)
		if err != nil {
			return fmt.Errorf("cell %d %s: %w", i, parameters(settings), err)
		}
		if p.studies.whole {
			last = min(last, study.Markets.LastStart())
		}
	}
	if !p.studies.whole {
		return nil
	}
	if last < 0 {
		return fmt.Errorf("starts: no start leaves enough history for the whole horizon")
	}
	if x.EveryS > 0 && last.Seconds()/x.EveryS >= maxStarts {
		return fmt.Errorf("starts.every_s: %v makes more than %d starts", x.EveryS, maxStarts)
	}
	p.StartsS = x.list(last.Seconds(), uint64(p.Seed))
	return nil
}

// addCell opens a cell and adds what the plan says of it.
func (p *Plan) addCell(i int) (*experiments.Study, error) {
	study, err := p.studies.get(i, p.Settings[i])
	if err != nil {
		return nil, err
	}
	from, err := study.Provenance(p.Version, p.Commit, nil)
	if err != nil {
		return nil, err
	}
	file, source := study.Spec.Source()
	inputs := append([]results.Input{{Name: filepath.Base(file), SHA256: digest(source)}}, from.Inputs...)
	for _, in := range inputs {
		if !slices.Contains(p.Inputs, in) {
			p.Inputs = append(p.Inputs, in)
		}
	}
	for _, w := range study.Warnings {
		if !slices.Contains(p.Warnings, w) {
			p.Warnings = append(p.Warnings, w)
		}
	}
	if p.Seed, p.Seeds = study.Spec.Seed, study.Spec.Seeds; p.Name == "" {
		p.Name = study.Spec.Name
	}
	cell := Cell{Parameters: parameters(p.Settings[i])}
	for _, o := range study.Spec.Objectives {
		cell.Objectives = append(cell.Objectives, o.Name)
	}
	for _, policy := range study.Spec.Policies {
		cell.Policies = append(cell.Policies, policy.Name)
	}
	p.Cells = append(p.Cells, cell)
	return study, nil
}

// purposeStart is the purpose of the draws of random starts (sim.Rand).
const purposeStart = sim.PurposeUser + 300

// list returns the starts, in seconds, the last at most there.
func (x *StartsSpec) list(last float64, seed uint64) (starts []float64) {
	for k := 0; x.EveryS > 0 && float64(k)*x.EveryS <= last; k++ {
		starts = append(starts, float64(k)*x.EveryS)
	}
	for k := range x.Random {
		starts = append(starts, float64(sim.Rand{Seed: seed}.Intn(purposeStart, 0, uint64(k), int(last)+1)))
	}
	return starts
}

func (p *Plan) hash() string {
	b, err := json.Marshal(p.Body)
	if err != nil {
		panic(err) // texts and finite numbers
	}
	return digest(b)
}

// provenance is what every file of the sweep says of itself.
func (p *Plan) provenance() results.Provenance {
	line := []string{"marigram", "sweep", filepath.Base(p.Made.File)}
	for _, x := range p.Overrides {
		line = append(line, "--set", x)
	}
	return results.Provenance{Version: p.Version, Commit: p.Commit, SpecName: p.Name, SpecSHA256: p.SpecSHA256, Inputs: p.Inputs,
		Seed: p.Seed, CommandLine: line, GOARCH: p.GOARCH}
}
