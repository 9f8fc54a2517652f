package synth

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/marigram/marigram/traces"
)

// generatorVersion is the version of the generators' file format.
const generatorVersion = 1

// Generator makes traces by a named model. What it makes was not observed:
// semantics and clouds say "synthetic". A fitted one says which trace it was
// fitted to and how well.
type Generator struct {
	Version int             `json:"generator_version"` // GeneratorVersion
	Model   string          `json:"law"`               // see Models; so called in files of version 1
	Trace   *Trace          `json:"history,omitempty"` // what it was fitted to; nil: published or chosen parameters
	Pools   []GeneratorPool `json:"pools"`
	// Parameters are those of the model; each field's name ends in its unit.
	Parameters Model  `json:"parameters"`
	Fit        *Table `json:"goodness_of_fit,omitempty"`
}

// Trace says to what a generator was fitted.
type Trace struct {
	TraceID   string              `json:"trace_id"`
	SHA256    string              `json:"sha256"`    // of its pools, prices, counts, machines and gaps
	Semantics string              `json:"semantics"` // what an observation of it means
	Hours     float64             `json:"hours"`
	Licence   string              `json:"licence,omitempty"`
	Files     []traces.SourceFile `json:"files,omitempty"`
}

// Standard returns a model with published parameters, which needs no trace.
func Standard(model string) (*Generator, error) {
	l, err := models.Named(model)
	if err != nil {
		return nil, err
	}
	if l.standard == nil {
		return nil, fmt.Errorf("the model %s has no published parameters, expected a generator that was fitted to a trace",
			model)
	}
	g := &Generator{Version: generatorVersion, Model: model}
	g.Parameters, g.Pools = l.standard()
	return g, g.Check()
}

// Check returns what is wrong with a generator.
func (g *Generator) Check() error {
	if g.Version != generatorVersion {
		return fmt.Errorf("generator_version %d, expected %d", g.Version, generatorVersion)
	}
	if _, err := models.Named(g.Model); err != nil {
		return err
	}
	if len(g.Pools) == 0 || len(g.Pools) > maxGeneratorPools || g.Parameters == nil {
		return fmt.Errorf("generator of %d pools, expected 1 to %d, and parameters", len(g.Pools), maxGeneratorPools)
	}
	names := make(map[string]bool, len(g.Pools))
	for i, p := range g.Pools {
		switch {
		case p.Name == "" || len(p.Name) > traces.MaxName || names[p.Name]:
			return fmt.Errorf("pools[%d]: name %q is empty, too long or used twice", i, p.Name)
		case p.Cap < 0 || p.Cap > maxGeneratorCap || p.GPUs < 0 || p.GPUs > 1024 || p.OnDemandNano < 0 ||
			p.OnDemandNano > traces.MaxPriceNano:
			return fmt.Errorf("pools[%d] (%s): cap %d, GPUs %d, on-demand %d nano-USD/h, expected 0 to %d, 0 to 1024, 0 to %d",
				i, p.Name, p.Cap, p.GPUs, p.OnDemandNano, maxGeneratorCap, int64(traces.MaxPriceNano))
		}
		names[p.Name] = true
	}
	return g.Parameters.check(g.Pools)
}

// Bounds on what a generator is believed to be.
const (
	maxGeneratorPools = 10_000
	maxGeneratorCap   = 1 << 16
	maxGeneratorBytes = 256 << 20
	maxGenerated      = 50_000_000 // records of a trace
)

// Generate makes a trace that lasts for span from time 0. One seed makes one
// trace.
func (g *Generator) Generate(seed uint64, span time.Duration) (*traces.Set, error) {
	m, err := g.making(seed, span)
	if err != nil {
		return nil, err
	}
	set := m.set()
	set.Manifest = g.manifest(seed, m.end, set.Counts())
	return set, set.Check()
}

// making makes what Generate writes in the neutral form.
func (g *Generator) making(seed uint64, span time.Duration) (*making, error) {
	if err := g.Check(); err != nil {
		return nil, fmt.Errorf("model %s: %w", g.Model, err)
	}
	perHour := g.Parameters.rate(g.Pools) * float64(len(g.Pools))
	if span < time.Microsecond || !(perHour*span.Hours() <= maxGenerated) {
		return nil, fmt.Errorf("model %s: span %v, expected above 0 and at most %d records, here %.3g an hour", g.Model, span,
			maxGenerated, perHour)
	}
	m := newMaking(g.Pools, seed, span.Microseconds())
	g.Parameters.make(m)
	return m, nil
}

func (g *Generator) manifest(seed uint64, end int64, rows traces.RowCounts) traces.Manifest {
	id, _ := g.digest() // Check found it finite
	notes := []string{"made, not observed", "model " + g.Model, fmt.Sprintf("seed %d", seed), "generator sha256 " + id}
	if g.Trace != nil {
		notes = append(notes, "fitted to "+g.Trace.TraceID+", sha256 "+g.Trace.SHA256)
	}
	return traces.Manifest{
		SchemaVersion: traces.SchemaVersion, TraceID: fmt.Sprintf("synthetic-%s-%s-%d", g.Model, id[:12], seed),
		Importer:  traces.ImporterRecord{Name: "generator", Version: generatorVersion},
		ClockKind: traces.ClockRelative, TEndUs: end, Semantics: traces.SemanticsSynthetic, Rows: rows, Notes: notes,
	}
}

// digest returns the SHA-256 of model, pools and parameters.
func (g *Generator) digest() (string, error) {
	text, err := json.Marshal(Generator{Version: g.Version, Model: g.Model, Pools: g.Pools, Parameters: g.Parameters})
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}
