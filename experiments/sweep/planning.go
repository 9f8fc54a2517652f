package sweep

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/store"
)

// Reopen reads the spec again from which a plan was made.
func Reopen(p *Plan) (*Spec, error) {
	s, err := Open(p.Made.File)
	if err != nil {
		return nil, err
	}
	for _, x := range p.Overrides {
		if err := s.Override(x); err != nil {
			return nil, err
		}
	}
	s.Seeds = p.Made.Seeds
	s.Chunk = p.Made.Chunk
	return s, nil
}

// Plan opens every cell and numbers everything, until ctx is done. Version and
// commit are the tool's. Errors say which cell they are about.
func (s *Spec) Plan(ctx context.Context, version, commit string) (*Plan, error) {
	settings, err := s.cells()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.file, err)
	}
	p := &Plan{Body: Body{
		Name:       s.Name,
		Version:    version,
		Commit:     commit,
		GOARCH:     runtime.GOARCH,
		Schema:     results.SchemaVersion,
		SpecSHA256: results.SHA256(s.source),
		Overrides:  s.given,
		StartsS:    []float64{0},
		Settings:   settings,
	}}
	p.Made = Made{File: s.file, Seeds: s.Seeds, Chunk: s.Chunk}
	if s.source != nil { // the name of a spec that comes with marigram stays
		if p.Made.File, err = store.Abs(s.file); err != nil {
			return nil, err
		}
	}
	p.studies = s.studies(2*runtime.GOMAXPROCS(0) + 2)
	if err := p.open(ctx, s); err != nil {
		return nil, fmt.Errorf("%s: %w", s.file, err)
	}
	for _, text := range p.Lacking() {
		p.Warnings = append(p.Warnings, text+": the same runs for every value")
	}
	p.number(s.Chunk)
	p.Hash = p.hash()
	return p, nil
}

// combined says how policies that are varied go together with a setting that only some of them have; empty where that is
// not what is wrong.
func combined(settings []spec.Setting, err error) string {
	varied := slices.ContainsFunc(settings, func(x spec.Setting) bool { return x.Path == "policy" })
	if !varied || !strings.Contains(err.Error(), "none of the policies has a setting") {
		return ""
	}
	return "\na matrix has every value of policy with every one of the setting: policy: [[a, b]] puts both into each cell, " +
		"and exclude takes cells out"
}

// open opens the cells one after the other, and finds the starts that leave a
// whole horizon of trace in all of them.
func (p *Plan) open(ctx context.Context, s *Spec) error {
	var idle idlers
	end := time.Duration(math.MaxInt64)
	horizon := time.Duration(0)
	for i, settings := range p.Settings {
		if err := ctx.Err(); err != nil {
			return err
		}
		study, err := p.addCell(i)
		if err != nil {
			return fmt.Errorf("cell %d %s: %w%s", i, spec.Parameters(settings), err, combined(settings, err))
		}
		idle.add(settings, study.Spec)
		if err := p.startsOf(i, s, study.Spec); err != nil {
			return err
		}
		horizon = max(horizon, study.Spec.Horizon())
		end = min(end, study.Markets.LastStart()+study.Spec.Horizon())
	}
	if err := idle.check(s); err != nil {
		return err
	}
	starts, err := s.Starts.List(end, horizon, uint64(p.Seed))
	p.StartsS = starts
	return err
}

// startsOf makes the starts of the base those of the sweep, if it has none of its own.
func (p *Plan) startsOf(cell int, s *Spec, of *spec.Spec) error {
	switch {
	case p.studies.whole:
		return nil // its own
	case cell == 0:
		s.Starts = of.Starts
	case s.Starts != of.Starts:
		return fmt.Errorf("cell %d: its base has other starts than that of cell 0, expected starts in the sweep", cell)
	}
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
	inputs := append([]results.Input{{Name: filepath.Base(file), SHA256: results.SHA256(source)}}, from.Inputs...)
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
	p.Seed = study.Spec.Seed
	p.Seeds = study.Spec.Seeds
	p.Name = cmp.Or(p.Name, study.Spec.Name)
	cell := Cell{Parameters: spec.Parameters(p.Settings[i])}
	for _, o := range study.Spec.Objectives {
		cell.Objectives = append(cell.Objectives, o.Name)
	}
	for _, policy := range study.Spec.Policies {
		cell.Policies = append(cell.Policies, policy.Name)
	}
	p.Cells = append(p.Cells, cell)
	return study, nil
}
