package tune

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
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
	p := &plan{planBody: planBody{Version: t.options.Version, Commit: t.options.Commit, GOARCH: runtime.GOARCH, Schema: results.SchemaVersion,
		Question: *t.question, SpecSHA256: digest(source), Blocks: t.blocks.race}}
	p.Question.Spec = filepath.Base(p.Question.Spec)
	for i := range t.field.candidates {
		e := &t.field.candidates[i]
		p.Candidates = append(p.Candidates, e.parameters())
		from, err := e.study.Provenance("", "", nil)
		if err != nil {
			return nil, err
		}
		for _, in := range from.Inputs {
			if !slices.Contains(p.Inputs, in) {
				p.Inputs = append(p.Inputs, in)
			}
		}
	}
	b, err := json.Marshal(p.planBody)
	p.Hash = digest(b)
	return p, err
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
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
	b, err := json.MarshalIndent(t.plan, "", " ")
	if err != nil {
		return err
	}
	path := store.Join(t.options.Dir, PlanFile)
	old, err := store.ReadAll(ctx, path, maxPlan)
	absent := errors.Is(err, fs.ErrNotExist)
	if err != nil && !absent {
		return err
	}
	if !absent && !bytes.Equal(bytes.TrimSpace(old), b) {
		return fmt.Errorf("%s is of another question, spec or version of marigram; choose another folder", path)
	}
	if err := store.MakeFolder(t.parts()); err != nil || !absent {
		return err
	}
	return store.WriteBytes(ctx, path, append(b, '\n'))
}

// maxPlan bounds the file of a plan.
const maxPlan = 16 << 20
