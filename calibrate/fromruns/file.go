package fromruns

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/marigram/marigram/internal/store"
)

// file is the form of a model file.
type file struct {
	Kind      string   `json:"kind"` // fileKind
	Version   string   `json:"marigram"`
	Runs      []string `json:"runs"`
	Rows      []Row    `json:"fit"`
	Min       int      `json:"least_instances"`
	Losses    int      `json:"losses"`
	Rollbacks int      `json:"losses_with_steps_redone"`
	Idle      []string `json:"idle_types,omitempty"`
	Notes     []string `json:"notes"`
}

// fileKind tells model files of this package from those of package fit.
const fileKind = "observed runs"

// maxBytes bounds a model file.
const maxBytes = 16 << 20

// WriteFile writes a model file, which ReadFile reads. version is marigram's.
func (f *Fitted) WriteFile(path, version string) error {
	written := file{
		Kind:      fileKind,
		Version:   version,
		Runs:      f.Runs,
		Rows:      f.Rows(),
		Min:       f.Min,
		Losses:    f.Losses,
		Rollbacks: f.Rollbacks,
		Idle:      f.Idle,
		Notes:     f.Notes,
	}
	text, err := json.MarshalIndent(written, "", "  ")
	if err != nil {
		return err
	}
	return store.WriteBytes(context.Background(), path, append(text, '\n'))
}

// ReadFile reads a model file. What it returns has the numbers of the file, whose spread is taken to be known: Draw
// draws what a run has by chance, and not what the fit may have wrong.
func ReadFile(path string) (*Fitted, error) {
	in, err := store.OpenInput(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, maxBytes+1))
	if err != nil {
		return nil, err
	}
	fitted, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return fitted, nil
}

// Parse reads the text of a model file.
func Parse(text []byte) (*Fitted, error) {
	if len(text) > maxBytes {
		return nil, fmt.Errorf("more than %d bytes", maxBytes)
	}
	var parsed file
	in := json.NewDecoder(bytes.NewReader(text))
	in.DisallowUnknownFields()
	if err := in.Decode(&parsed); err != nil {
		return nil, fmt.Errorf("not a model file of marigram backtest: %w", err)
	}
	if parsed.Kind != fileKind {
		return nil, fmt.Errorf("kind %q, expected %q: a model file of marigram backtest", parsed.Kind, fileKind)
	}
	older := !slices.ContainsFunc(parsed.Rows, func(r Row) bool { return r.What == gangStart })
	fitted := &Fitted{
		Min:       parsed.Min,
		Losses:    parsed.Losses,
		Rollbacks: parsed.Rollbacks,
		Idle:      parsed.Idle,
		Runs:      parsed.Runs,
		Notes:     parsed.Notes,
		Boot:      Quantity{assumed: true},
	}
	for i := range parsed.Rows {
		if err := fitted.read(&parsed.Rows[i]); err != nil {
			return nil, fmt.Errorf("fit[%d]: %w", i, err)
		}
	}
	if older { // what was called boot is the start of the gang; when single instances were ready is not there
		fitted.GangStart = fitted.Boot
		fitted.Boot.assumed = true
		fitted.note("a model file of an earlier version: its boot is the start of the gang")
	}
	return fitted, fitted.check()
}

// read takes over a row.
func (f *Fitted) read(r *Row) error {
	if math.IsNaN(r.Value) || r.Value < 0 || r.Value > 1e9 || !(r.Residual >= 0 && r.Residual <= 1e9) || r.N < 0 {
		return fmt.Errorf("%s: value %v, residual %v, %d observations, expected 0 to 1e9",
			r.What, r.Value, r.Residual, r.N)
	}
	switch r.What {
	case "speed":
		if !(r.Value > 0) || r.Workers < 1 || r.Workers > 1<<20 || r.Type == "" {
			return fmt.Errorf("speed %v of %d instances of type %q, "+
				"expected a number above 0, 1 to 1048576, and a type", r.Value, r.Workers, r.Type)
		}
		speed := Speed{Type: r.Type, Workers: int(r.Workers), Log: math.Log(r.Value), Runs: int(r.N)}
		f.speeds.rows = append(f.speeds.rows, speed)
		return nil
	case "spread":
		f.speeds.sigma = r.Value
		return nil
	}
	i := slices.IndexFunc(f.quantities(), func(q named) bool { return q.name == r.What })
	if i < 0 {
		return fmt.Errorf("what is %q, expected speed, spread, boot, gang start, restart, resize, save or notice",
			r.What)
	}
	quantity := f.quantities()[i].of
	*quantity = Quantity{Level: r.Value, Sigma: r.Residual, assumed: r.N == 0}
	if r.Log && r.Value > 0 {
		quantity.Level = math.Log(r.Value)
		quantity.Log = true
	}
	return nil
}

func (f *Fitted) check() error {
	if len(f.speeds.rows) == 0 {
		return errors.New("no row of what is speed")
	}
	if f.Min < 1 || f.Losses < 0 || f.Rollbacks < 0 {
		return fmt.Errorf("least_instances %d, losses %d, losses_with_steps_redone %d, expected at least 1, 0 and 0",
			f.Min, f.Losses, f.Rollbacks)
	}
	for i := 1; i < len(f.speeds.rows); i++ {
		before := &f.speeds.rows[i-1]
		after := &f.speeds.rows[i]
		if before.Type > after.Type || before.Type == after.Type && before.Workers >= after.Workers {
			return fmt.Errorf("speeds are not in the order of types and instances: %d %s before %d %s",
				before.Workers, before.Type, after.Workers, after.Type)
		}
	}
	return nil
}
