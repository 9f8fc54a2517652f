package spec

import (
	"math"
	"path/filepath"
	"strconv"
	"time"

	"github.com/goccy/go-yaml/ast"
)

// Spec says what to simulate: a market, a model, objectives and policies. Every
// objective is run under every policy and every seed. Its YAML form is read
// strictly; keys that hold a quantity end in its unit (_s, _h, _usd_per_h, _gb).
type Spec struct {
	Name  string `json:"name" jsonschema:"name of the study, in results and file names"`
	About string `json:"about,omitempty" jsonschema:"what it is for"`

	Seed     int64   `json:"seed,omitempty" jsonschema:"first seed, at least 0; 1 if absent"`
	Seeds    int     `json:"seeds,omitempty" jsonschema:"number of seeds; 1 if absent"`
	HorizonS float64 `json:"horizon_s,omitempty" jsonschema:"seconds after which a run is cut; three times the longest objective if absent"`
	// Timelines bounds what all tables hold but summary.parquet.
	Timelines *int `json:"timelines,omitempty" jsonschema:"number of seeds, from the first, whose timelines and decisions are recorded if results are written; 1 if absent"`

	Market     Market      `json:"market" jsonschema:"prices and capacity"`
	Model      Model       `json:"model" jsonschema:"how the job trains"`
	Objectives []Objective `json:"objectives" jsonschema:"goals; each is simulated on its own"`
	Policies   []Policy    `json:"policies,omitempty" jsonschema:"policies to compare; all that fit the model and the pools, except oracles, if absent"`

	file        string
	source      []byte
	tree        *ast.File // of source, with the present names of keys
	warnings    []string
	throughputs map[Throughput]knownThroughput // of a pipelined job
}

// short is a number as a spec has it.
func short(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// Path returns a file named in the spec, relative to the spec's own folder.
func (s *Spec) Path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(s.file), name)
}

// Horizon returns the time after which a run is cut.
func (s *Spec) Horizon() time.Duration { return seconds(s.HorizonS) }

// TimelineSeeds returns the number of seeds, from the first, whose timelines are
// kept.
func (s *Spec) TimelineSeeds() int { return valueOr(s.Timelines, 1) }

// Source returns the spec's file name and text, for provenance.
func (s *Spec) Source() (string, []byte) { return s.file, s.source }

// Warnings are about the spec itself: former names of keys and settings.
func (s *Spec) Warnings() []string { return s.warnings }

// seconds is a number of seconds as a span, to the nanosecond.
func seconds(s float64) time.Duration { return time.Duration(math.Round(s * 1e9)) }
