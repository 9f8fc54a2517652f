package synth

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/marigram/marigram/internal/atomicfile"
	"github.com/marigram/marigram/internal/inputfile"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/internal/series"
)

// GeneratorVersion is the version of the generators' file format.
const GeneratorVersion = 1

// Generator makes histories by a named law. What it makes was not observed:
// semantics and clouds say "synthetic". A fitted one says which history it was
// fitted to and how well.
type Generator struct {
	Version int             `json:"generator_version"` // GeneratorVersion
	Model   string          `json:"law"`               // see Laws
	History *History        `json:"history,omitempty"` // what it was fitted to; nil: published or chosen parameters
	Pools   []GeneratorPool `json:"pools"`
	// Parameters are those of the law; each field's name ends in its unit.
	Parameters Model  `json:"parameters"`
	Fit        *Table `json:"goodness_of_fit,omitempty"`
}

// History says to what a generator was fitted.
type History struct {
	TraceID   string              `json:"trace_id"`
	SHA256    string              `json:"sha256"`    // of its pools, prices, counts, machines and gaps
	Semantics string              `json:"semantics"` // what an observation of it means
	Hours     float64             `json:"hours"`
	Licence   string              `json:"licence,omitempty"`
	Files     []traces.SourceFile `json:"files,omitempty"`
}

// GeneratorPool is a pool to make: a recorded one's name, place and machine,
// marked synthetic.
type GeneratorPool struct {
	Name         string `json:"name"`
	Region       string `json:"region,omitempty"`
	Zone         string `json:"zone,omitempty"`
	InstanceType string `json:"instance_type,omitempty"`
	GPU          string `json:"gpu,omitempty"`
	GPUs         int    `json:"gpus,omitempty"`
	Cap          int    `json:"cap_machines"`                         // most machines; 0: prices only
	Machines     bool   `json:"single_machines"`                      // makes machines that come and go; false: counts
	OnDemandNano int64  `json:"on_demand_nanousd_per_hour,omitempty"` // 0: unknown
}

// Model is a way to make histories; the types in this package that implement it
// are its parameters.
type Model interface {
	// check returns what is wrong with the parameters for the pools.
	check(pools []GeneratorPool) error
	// make makes the pools' histories.
	make(m *making)
	// rate bounds the records of a pool per hour, on average.
	rate(pools []GeneratorPool) float64
}

// modelEntry is a law by name.
type modelEntry struct {
	name, what string
	blank      func() Model                                    // to decode parameters into
	fit        func(h *history, opt FitOptions) (Model, error) // nil: cannot be fitted
	standard   func() (law Model, pools []GeneratorPool)       // without a history; nil: needs one
}

// models lists the generators; each is one file.
var models = []modelEntry{bulkEntry, kaplanMeierEntry, bathtubEntry, priceEntry, bambooEntry, blockEntry, exponentialEntry}

// ModelInfo names a law.
type ModelInfo struct {
	Name     string `json:"name"`
	What     string `json:"what"`
	Fits     bool   `json:"can_be_fitted"`
	Standard bool   `json:"needs_no_history"` // Standard makes it
}

// Models lists the laws.
func Models() []ModelInfo {
	var out []ModelInfo
	for _, l := range models {
		out = append(out, ModelInfo{l.name, l.what, l.fit != nil, l.standard != nil})
	}
	return out
}

func modelNamed(name string) (modelEntry, error) {
	var names []string
	for _, l := range models {
		if l.name == name {
			return l, nil
		}
		names = append(names, l.name)
	}
	return modelEntry{}, fmt.Errorf("unknown law %q, expected one of: %s", name, strings.Join(names, ", "))
}

// Standard returns a law with published parameters, which needs no history.
func Standard(law string) (*Generator, error) {
	l, err := modelNamed(law)
	if err != nil {
		return nil, err
	}
	if l.standard == nil {
		return nil, fmt.Errorf("the law %s has no published parameters, expected a generator that was fitted to a history", law)
	}
	g := &Generator{Version: GeneratorVersion, Model: law}
	g.Parameters, g.Pools = l.standard()
	return g, g.Check()
}

// Check returns what is wrong with a generator.
func (g *Generator) Check() error {
	if g.Version != GeneratorVersion {
		return fmt.Errorf("generator_version %d, expected %d", g.Version, GeneratorVersion)
	}
	if _, err := modelNamed(g.Model); err != nil {
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
		case p.Cap < 0 || p.Cap > maxGeneratorCap || p.GPUs < 0 || p.GPUs > 1024 || p.OnDemandNano < 0 || p.OnDemandNano > traces.MaxPriceNano:
			return fmt.Errorf("pools[%d] (%s): cap %d, GPUs %d, on-demand %d nano-USD/h, expected 0 to %d, 0 to 1024, 0 to %d", i, p.Name, p.Cap, p.GPUs, p.OnDemandNano, maxGeneratorCap, int64(traces.MaxPriceNano))
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
	maxMade           = 50_000_000 // records of a history
)

// Generate makes a history that lasts for span from time 0. One seed makes one
// history.
func (g *Generator) Generate(seed uint64, span time.Duration) (*traces.Set, error) {
	if err := g.Check(); err != nil {
		return nil, fmt.Errorf("law %s: %w", g.Model, err)
	}
	perHour := g.Parameters.rate(g.Pools) * float64(len(g.Pools))
	if span < time.Microsecond || !(perHour*span.Hours() <= maxMade) {
		return nil, fmt.Errorf("law %s: span %v, expected above 0 and at most %d records, here %.3g an hour", g.Model, span, maxMade, perHour)
	}
	m := newMaking(g.Pools, seed, span.Microseconds())
	g.Parameters.make(m)
	set := m.set()
	set.Manifest = g.manifest(seed, m.end, set.Counts())
	return set, set.Check()
}

func (g *Generator) manifest(seed uint64, end int64, rows traces.RowCounts) traces.Manifest {
	id, _ := g.digest() // Check found it finite
	notes := []string{"made, not observed", "law " + g.Model, fmt.Sprintf("seed %d", seed), "generator sha256 " + id}
	if g.History != nil {
		notes = append(notes, "fitted to "+g.History.TraceID+", sha256 "+g.History.SHA256)
	}
	return traces.Manifest{
		SchemaVersion: traces.SchemaVersion, TraceID: fmt.Sprintf("synthetic-%s-%s-%d", g.Model, id[:12], seed),
		Importer:  traces.ImporterRecord{Name: "generator", Version: GeneratorVersion},
		ClockKind: traces.ClockRelative, TEndUs: end, Semantics: traces.SemanticsSynthetic, Rows: rows, Notes: notes,
	}
}

// digest returns the SHA-256 of law, pools and parameters.
func (g *Generator) digest() (string, error) {
	text, err := json.Marshal(Generator{Version: g.Version, Model: g.Model, Pools: g.Pools, Parameters: g.Parameters})
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}

// Write writes the generator as JSON. The file appears whole or not at all.
func (g *Generator) Write(path string) error {
	text, err := json.MarshalIndent(g, "", " ")
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return atomicfile.WriteBytes(path, append(text, '\n'))
}

// ReadGenerator reads a generator from a JSON file. Unknown fields, parameters
// out of range and other versions are errors.
func ReadGenerator(path string) (*Generator, error) {
	f, err := inputfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxGeneratorBytes+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxGeneratorBytes {
		return nil, fmt.Errorf("%s: larger than %d bytes", path, maxGeneratorBytes)
	}
	g, err := decodeGenerator(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return g, nil
}

// UnmarshalJSON reads a generator whose law says what its parameters are.
func (g *Generator) UnmarshalJSON(text []byte) error {
	type fields Generator
	file := struct {
		*fields
		Parameters json.RawMessage `json:"parameters"`
	}{fields: (*fields)(g)}
	if err := strict(text, &file); err != nil {
		return err
	}
	l, err := modelNamed(g.Model)
	if err != nil {
		return err
	}
	g.Parameters = l.blank()
	if err := strict(file.Parameters, g.Parameters); err != nil {
		return fmt.Errorf("parameters of the law %s: %w", g.Model, err)
	}
	return nil
}

func decodeGenerator(text []byte) (*Generator, error) {
	var g Generator
	if err := json.Unmarshal(text, &g); err != nil {
		return nil, err
	}
	return &g, g.Check()
}

// strict decodes one JSON value without fields that have no place.
func strict(text []byte, into any) error {
	if text = bytes.TrimSpace(text); len(text) == 0 || bytes.Equal(text, []byte("null")) {
		return fmt.Errorf("is missing")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// generatorPools describes the pools of a history, marked synthetic.
func generatorPools(h *history) []GeneratorPool {
	mark := func(name string) string {
		if name == "" {
			return ""
		}
		return "synthetic-" + strings.TrimPrefix(name, "synthetic-")
	}
	out := make([]GeneratorPool, len(h.set.Pools))
	for i, p := range h.set.Pools {
		out[i] = GeneratorPool{
			Name: mark(p.Name), Region: mark(p.Region), Zone: mark(p.Zone), InstanceType: p.InstanceType,
			GPU: p.GPUType, GPUs: int(p.GPUCount), Cap: h.courses[i].top,
			Machines: slices.ContainsFunc(h.set.InstanceEvents, func(r traces.InstanceEventRow) bool { return int(r.PoolID) == i }),
		}
		if p.OnDemandNano != nil {
			out[i].OnDemandNano = *p.OnDemandNano
		}
	}
	return out
}

// Checks that several laws share.

func within(x, low, high float64) bool { return x >= low && x <= high }

// each returns an error unless there is one of something for each pool.
func each(what string, n int, pools []GeneratorPool) error {
	if n != len(pools) {
		return fmt.Errorf("%s of %d pools, expected %d, one each", what, n, len(pools))
	}
	return nil
}

// hoursUs returns hours in us, to the next whole one, at least 1; saturating.
func hoursUs(hours float64) int64 {
	us := math.Ceil(hours * series.HourUs)
	if !(us < math.MaxInt64/4) {
		return math.MaxInt64 / 4
	}
	return max(1, int64(us))
}

// newMaking begins a history.
func newMaking(pools []GeneratorPool, seed uint64, end int64) *making {
	return &making{pools: pools, dice: sim.Rand{Seed: seed}, end: end, made: make([]made, len(pools))}
}
