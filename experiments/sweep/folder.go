package sweep

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/store"
)

// PlanFile is the name of the plan in the folder of a sweep.
const PlanFile = "plan.json"

// timingsDir is the folder of wall-clock facts, below that of the chunks.
const timingsDir = "timings"

// Folder is where the chunks of a plan are.
type Folder struct {
	Plan *Plan
	Dir  string // also one of an object store (s3://BUCKET/NAME)
	// AllowCommands lets runs that are simulated again start the commands of policies.
	AllowCommands bool
}

// OpenFolder reads the plan of a folder that a sweep was begun in.
func OpenFolder(dir string) (*Folder, error) {
	path := store.Join(dir, PlanFile)
	text, err := store.ReadAll(context.Background(), path, maxPlan)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w (there is no sweep in this folder)", err)
	}
	if err != nil {
		return nil, err
	}
	plan := &Plan{}
	if err := json.Unmarshal(text, plan); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if computed := plan.hash(); computed != plan.Hash {
		return nil, fmt.Errorf("%s: changed after it was written: recorded hash %.12s, computed %.12s",
			path, plan.Hash, computed)
	}
	if err := plan.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	plan.count()
	return &Folder{Plan: plan, Dir: dir}, nil
}

// maxPlan bounds the file of a plan: a million starts and a hundred thousand cells
// take less.
const maxPlan = 64 << 20

// check refuses a plan that no spec makes: counts out of their bounds, and what
// would divide by nothing.
func (p *Plan) check() error {
	for _, count := range []struct {
		name   string
		n, max int
	}{
		{"chunk_points", p.ChunkPoints, MaxChunk},
		{"seeds", p.Seeds, spec.MaxSeeds},
		{"starts", len(p.StartsS), spec.MaxStarts},
		{"cells", len(p.Cells), maxCells},
	} {
		if count.n < 1 || count.n > count.max {
			return fmt.Errorf("%s: %d, expected 1 to %d", count.name, count.n, count.max)
		}
	}
	if points := float64(p.Seeds) * float64(len(p.StartsS)) * float64(len(p.Cells)); points > maxPoints {
		return fmt.Errorf("%v seeds, starts and cells in all, expected at most %d", points, maxPoints)
	}
	for _, s := range p.StartsS {
		if !(s >= 0 && s <= maxEveryS) {
			return fmt.Errorf("a start at %v s, expected 0 to %d", s, maxEveryS)
		}
	}
	for i, c := range p.Cells {
		if len(c.Policies) == 0 || len(c.Objectives) == 0 || !json.Valid([]byte(c.Parameters)) || p.Seed < 0 {
			return fmt.Errorf("cell %d: %d policies, %d objectives, parameters %q, seed %d, expected at least one of "+
				"each, JSON, and at least 0", i, len(c.Policies), len(c.Objectives), c.Parameters, p.Seed)
		}
	}
	return results.CheckVersion(p.Schema)
}

// Begin makes the folder of a plan, or finds it begun. A folder of another plan
// is an error. The folder may be in an object store (s3://BUCKET/NAME).
func (p *Plan) Begin(dir string) (*Folder, error) {
	if err := store.MakeFolder(dir); err != nil {
		return nil, err
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	path := store.Join(dir, PlanFile)
	old, err := OpenFolder(dir)
	if errors.Is(err, fs.ErrNotExist) {
		// Of processes that begin at one time one writes the plan, and all read it.
		wrote := p.write(path)
		if old, err = OpenFolder(dir); err != nil && wrote != nil {
			return nil, wrote
		}
	}
	if err != nil {
		return nil, err
	}
	if old.Plan.Hash != p.Hash {
		return nil, fmt.Errorf("%s belongs to plan %.12s, this sweep is plan %.12s: %s; choose another folder", path,
			old.Plan.Hash, p.Hash, difference(&old.Plan.Body, &p.Body))
	}
	if err := store.Sweep(dir, func(name string) bool { return name == PlanFile }); err != nil {
		return nil, err
	}
	begun := &Folder{Plan: p, Dir: dir}
	return begun, store.MakeFolder(store.Join(begun.chunks(), timingsDir))
}

// difference names the first fields in which two plans differ.
func difference(a, b *Body) string {
	for _, x := range []struct {
		name string
		a, b any
	}{
		{"its version of marigram differs",
			[]string{a.Version, a.Commit, a.GOARCH}, []string{b.Version, b.Commit, b.GOARCH}},
		{"its spec or overrides differ", []any{a.SpecSHA256, a.Overrides}, []any{b.SpecSHA256, b.Overrides}},
		{"its inputs differ", a.Inputs, b.Inputs},
		{"its cells differ", a.Cells, b.Cells},
		{"its seeds or starts differ", []any{a.Seed, a.Seeds, a.StartsS}, []any{b.Seed, b.Seeds, b.StartsS}},
	} {
		if !bytes.Equal(toJSON(x.a), toJSON(x.b)) {
			return x.name
		}
	}
	return "its chunk size differs"
}

// write writes the plan.
func (p *Plan) write(path string) error {
	text, err := json.MarshalIndent(p, "", " ")
	if err != nil {
		return err
	}
	return store.WriteNew(context.Background(), path, append(text, '\n'))
}

func (f *Folder) chunks() string { return store.Join(f.Dir, "plan="+f.Plan.Hash[:12]) }

func (f *Folder) partName(chunk int) string { return fmt.Sprintf("part-%06d.parquet", chunk) }

// Part returns the path of a chunk.
func (f *Folder) Part(chunk int) string { return store.Join(f.chunks(), f.partName(chunk)) }

// State is what is known of a chunk.
type State int

// The states of a chunk.
const (
	Missing State = iota // there is none
	Done                 // all of its runs are there
	Failed               // the same, but some of them failed
	Damaged              // the file is not what was written
	Foreign              // the file is of another plan, or is another chunk
	Unknown              // the object store refused to say, or did not answer
)

// Check reads a chunk's file and says how it is; err says what is wrong with one
// that is damaged, foreign or unknown, and failed how many of its runs failed.
func (f *Folder) Check(chunk int) (state State, failed int64, err error) {
	return f.check(context.Background(), chunk)
}

func (f *Folder) check(ctx context.Context, chunk int) (state State, failed int64, err error) {
	part, rows, err := results.InspectPart(ctx, f.Part(chunk))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Missing, 0, nil
	case errors.Is(err, store.ErrUnreached):
		return Unknown, 0, err
	case err != nil:
		return Damaged, 0, err
	}
	if err := f.checkPart(chunk, &part, rows); err != nil {
		return Foreign, 0, err
	}
	if part.Failed > 0 {
		return Failed, part.Failed, nil
	}
	return Done, 0, nil
}

// checkPart says why a file is not this chunk of this plan.
func (f *Folder) checkPart(chunk int, part *results.Part, rows int64) error {
	want := f.Plan.ChunkRuns(chunk)
	switch {
	case part.Plan != f.Plan.Hash:
		return fmt.Errorf("%s: belongs to plan %.12s, expected %.12s", f.Part(chunk), part.Plan, f.Plan.Hash)
	case part.Chunk != chunk:
		return fmt.Errorf("%s: is chunk %d, expected %d", f.Part(chunk), part.Chunk, chunk)
	case rows != want:
		return fmt.Errorf("%s: has %d runs, expected %d", f.Part(chunk), rows, want)
	}
	return nil
}
