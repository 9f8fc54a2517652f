package tune

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/store"
)

// PlanFile is the name of the question in its folder.
const PlanFile = "tune.json"

func (t *tuning) newPlan() (*plan, error) {
	_, source := t.field.base.Source()
	body := planBody{
		Version:    t.options.Version,
		Commit:     t.options.Commit,
		GOARCH:     runtime.GOARCH,
		Schema:     results.SchemaVersion,
		Question:   *t.question,
		SpecSHA256: results.SHA256(source),
		Blocks:     t.blocks.race,
	}
	body.Question.Spec = filepath.Base(body.Question.Spec)
	for i := range t.field.candidates {
		candidate := &t.field.candidates[i]
		body.Candidates = append(body.Candidates, candidate.parameters())
		from, err := candidate.study.Provenance("", "", nil)
		if err != nil {
			return nil, err
		}
		for _, input := range from.Inputs {
			if !slices.Contains(body.Inputs, input) {
				body.Inputs = append(body.Inputs, input)
			}
		}
	}
	text, err := json.Marshal(body)
	return &plan{Hash: results.SHA256(text), planBody: body}, err
}

// begin makes the plan and its folder, or finds it begun. A folder of another plan is an
// error.
func (t *tuning) begin(ctx context.Context) (err error) {
	for _, w := range t.field.warnings {
		t.options.Notice(w)
	}
	if t.plan, err = t.newPlan(); err != nil || t.options.Dir == "" {
		return err
	}
	text, err := json.MarshalIndent(t.plan, "", " ")
	if err != nil {
		return err
	}
	path := store.Join(t.options.Dir, PlanFile)
	old, err := store.ReadAll(ctx, path, maxPlan)
	absent := errors.Is(err, fs.ErrNotExist)
	if err != nil && !absent {
		return err
	}
	if !absent && !bytes.Equal(bytes.TrimSpace(old), text) {
		return fmt.Errorf("%s is of another question, spec or version of marigram; choose another folder", path)
	}
	if err := store.MakeFolder(t.parts()); err != nil || !absent {
		return err
	}
	return store.WriteBytes(ctx, path, append(text, '\n'))
}

// maxPlan bounds the file of a plan.
const maxPlan = 16 << 20
