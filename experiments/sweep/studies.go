package sweep

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/market"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/policies/plugin/loader"
)

// studies opens the cells' studies when they are wanted and keeps the latest:
// neighbours share markets, and workers meet in the same cells.
type studies struct {
	base   string
	seeds  int  // 0: the base's
	bound  bool // columns of the bound, if the base has them not
	whole  bool // traces to their end, for starts
	allow  bool // the commands of policies
	limit  int
	mu     sync.Mutex
	opened []*study // the latest last
}

// studies opens the cells of the sweep, of which it keeps so many.
func (s *Spec) studies(limit int) *studies {
	return &studies{
		base:  s.base(),
		seeds: s.Seeds,
		bound: s.Bound,
		whole: s.Starts != spec.Starts{},
		allow: s.AllowCommands,
		limit: limit,
	}
}

type study struct {
	cell int
	once sync.Once
	*experiments.Study
	market string // what the markets depend on
	err    error
}

// get returns the study of a cell with these settings.
func (all *studies) get(cell int, settings []spec.Setting) (*experiments.Study, error) {
	all.mu.Lock()
	at := slices.IndexFunc(all.opened, func(s *study) bool { return s.cell == cell })
	if at < 0 {
		if len(all.opened) == all.limit {
			all.opened = slices.Delete(all.opened, 0, 1)
		}
		at = len(all.opened)
		all.opened = append(all.opened, &study{cell: cell})
	}
	opened := all.opened[at]
	all.mu.Unlock()
	opened.once.Do(func() { opened.err = all.open(opened, settings) })
	return opened.Study, opened.err
}

// study opens the study of a cell.
func (p *Plan) study(cell int) (*experiments.Study, error) {
	opened, err := p.studies.get(cell, p.Settings[cell])
	if err != nil {
		return nil, fmt.Errorf("cell %d %s: %w", cell, p.Cells[cell].Parameters, err)
	}
	return opened, nil
}

func (all *studies) open(s *study, settings []spec.Setting) error {
	if all.seeds > 0 {
		settings = append(slices.Clone(settings), spec.Setting{Path: "seeds", Value: all.seeds})
	}
	if all.bound {
		settings = append(slices.Clone(settings), spec.Setting{Path: "bound", Value: true})
	}
	read, err := spec.Reading{Commands: all.allow}.Open(all.base, settings...)
	if err != nil {
		return err
	}
	if names := read.Commands(); len(names) > 0 {
		return fmt.Errorf("policy %s: %w", strings.Join(names, ", "), loader.ErrNotAllowed)
	}
	key := marketKey(read)
	markets := all.like(key)
	if markets == nil {
		if all.whole || read.Starts != (spec.Starts{}) {
			markets, err = market.Whole(read)
		} else {
			markets, err = market.Of(read)
		}
		if err != nil {
			return err
		}
	}
	opened, err := experiments.NewStudyOn(read, markets)
	all.mu.Lock()
	defer all.mu.Unlock()
	s.Study = opened
	s.market = key
	return err
}

// like returns markets that were made of the same, nil if there are none.
func (all *studies) like(key string) *market.Markets {
	all.mu.Lock()
	defer all.mu.Unlock()
	for _, s := range all.opened {
		if s.market == key && s.Study != nil {
			return s.Markets
		}
	}
	return nil
}

// marketKey is what the markets of a spec depend on, of specs of one base.
func marketKey(s *spec.Spec) string {
	key, err := json.Marshal(struct {
		Market  any
		Horizon float64
		Seed    int64
		Seeds   int
	}{s.Market, s.HorizonS, s.Seed, s.Seeds})
	if err != nil {
		panic(fmt.Sprintf("sweep: a market without a JSON form: %v", err)) // numbers of a spec are finite
	}
	return string(key)
}

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
	body, err := json.Marshal(p.Body)
	if err != nil {
		panic(err) // texts and finite numbers
	}
	return results.SHA256(body)
}

// Provenance is what every file of the sweep says of itself.
func (p *Plan) Provenance() results.Provenance {
	line := []string{"marigram", "sweep", filepath.Base(p.Made.File)}
	for _, setting := range p.Overrides {
		line = append(line, "--set", setting)
	}
	return results.Provenance{
		Version:     p.Version,
		Commit:      p.Commit,
		SpecName:    p.Name,
		SpecSHA256:  p.SpecSHA256,
		Inputs:      p.Inputs,
		Seed:        p.Seed,
		CommandLine: line,
		GOARCH:      p.GOARCH,
	}
}

// Policies returns the names of the policies of all cells, sorted.
func (p *Plan) Policies() (names []string) {
	for i := range p.Cells {
		names = append(names, p.Cells[i].Policies...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Shard is a share of the chunks: those whose number is I modulo N. How many
// shards there are may change from one process to the next.
type Shard struct{ I, N int }

// Whole is all chunks.
var Whole = Shard{0, 1}

// owns reports whether a chunk is the shard's.
func (s Shard) owns(chunk int) bool { return chunk%s.N == s.I }

// indices are the variables in which schedulers tell a task its number, and the
// number of the first task. N is never taken from them: of an array of which only
// some tasks are submitted again, they count those.
var indices = []struct {
	name  string
	first int
}{
	{"SLURM_ARRAY_TASK_ID", 0}, {"JOB_COMPLETION_INDEX", 0}, {"PBS_ARRAY_INDEX", 0}, {"AWS_BATCH_JOB_ARRAY_INDEX", 0},
	{"SGE_TASK_ID", 1}, {"LSB_JOBINDEX", 1}, // which cannot be 0
}

// ParseShard reads "I/N", 0 <= I < N, or "auto/N", where getenv tells I: the
// variables of Slurm, Kubernetes, PBS, AWS Batch, SGE and LSF are tried in turn.
func ParseShard(text string, getenv func(string) string) (Shard, error) {
	index, count, ok := strings.Cut(text, "/")
	shards, err := strconv.Atoi(count)
	if !ok || err != nil || shards < 1 {
		return Shard{}, fmt.Errorf("%q, expected I/N or auto/N with N at least 1", text)
	}
	from := index
	first := 0
	if index == "auto" {
		if from, index, first = variable(getenv); index == "" {
			return Shard{}, fmt.Errorf("%q: no scheduler variable gives the task number, expected I/N", text)
		}
	}
	task, err := strconv.Atoi(index)
	if err != nil || task < first || task-first >= shards {
		return Shard{}, fmt.Errorf("%q: %s is not a number from %d to %d", text, from, first, shards-1+first)
	}
	return Shard{task - first, shards}, nil
}

func variable(getenv func(string) string) (name, value string, first int) {
	for _, x := range indices {
		value := getenv(x.name)
		if value != "" && value != "undefined" { // SGE's word for a job that is no array
			return x.name + "=" + value, value, x.first
		}
	}
	return "", "", 0
}
