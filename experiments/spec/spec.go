// Package spec holds what a study asks for: the YAML form of a spec, its checks, and
// the models that it names. Start with Spec, whose fields are the keys of the file,
// and Open:
//
//	s, err := spec.Open("mine.yaml", spec.Setting{Path: "market.replay.notice_s", Value: 30})
//
// Errors name file, line, column, value and what was expected. A key is a field with
// its name, unit and meaning in tags, from which Schema is made; a key that gets a
// better name keeps the former one in a tag (package internal/fields). Figure is the
// spec of a published figure, for package claims.
package spec

import (
	"errors"
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/calibrate/fromruns"
	"github.com/marigram/marigram/experiments/internal/document"
	"github.com/marigram/marigram/experiments/spec/cluster"
	"github.com/marigram/marigram/internal/store"
	"github.com/marigram/marigram/internal/units"
)

// Spec says what to simulate: a market, a model, objectives and policies. Every
// objective is run under every policy, from every start and under every seed. Its YAML form is read
// strictly; keys that hold a quantity end in its unit (_s, _h, _usd_per_h, _gb).
type Spec struct {
	Name  string `json:"name" jsonschema:"name of the study, in results and file names"`
	About string `json:"about,omitempty" jsonschema:"what it is for"`

	Seed     int64   `json:"seed,omitempty" min:"0" jsonschema:"first seed, at least 0; 1 if absent"`
	Seeds    int     `json:"seeds,omitempty" min:"1" max:"1000000" jsonschema:"number of seeds; 1 if absent"`
	Starts   Starts  `json:"starts,omitzero" jsonschema:"where in recorded traces runs begin: every_s, every or random; at their beginning if absent"`
	HorizonS float64 `json:"horizon_s,omitempty" above:"0" max:"632448000" jsonschema:"seconds after which a run is cut; three times the longest objective if absent"`
	// Timelines bounds what all tables hold but summary.parquet.
	Timelines *int `json:"timelines,omitempty" min:"0" jsonschema:"number of seeds, from the first (with starts: of starts and seeds), whose timelines and decisions are recorded if results are written; if absent 1, or 0 where there are more than 100,000 jobs"`

	Bound bool `json:"bound,omitempty" jsonschema:"also work out what no policy can beat: columns bound_usd, bound_spot_usd, regret; about 0.1 s for each objective, seed and start; of many jobs 0.1 to 5 s for each seed and start"`

	Market     Market        `json:"market" jsonschema:"prices and capacity"`
	Model      Model         `json:"model,omitzero" jsonschema:"how the job trains"`
	Objectives []Objective   `json:"objectives,omitempty" either:"work" jsonschema:"goals; each is simulated on its own"`
	Jobs       *cluster.Jobs `json:"jobs,omitempty" either:"work" jsonschema:"instead of objectives: many jobs that share a cluster"`
	Policies   []Policy      `json:"policies,omitempty" jsonschema:"policies to compare; all that fit the model and the pools, except oracles and rollout, which is slow, if absent"`

	all         bool // no policies were named: those that fit
	doc         document.Document
	reading     Reading
	throughputs map[Throughput]knownThroughput // of a pipelined job
	past        *fromruns.Fitted               // of model.observed, once it was checked
}

// WholeJob reports whether the job is n samples, all of which are to be
// trained: it has no loss to reach.
func (s *Spec) WholeJob() bool {
	return s.Model.Pipelined != nil || s.Model.DataParallel != nil || s.Model.Replicas != nil || s.Model.Notebooks != nil || s.Model.Observed != nil
}

// FixedCluster reports whether many jobs run on servers that are always there, or on demand, alone.
func (s *Spec) FixedCluster() bool { return s.Jobs != nil && len(s.Market.Pools) == 0 }

// Path returns a file named in the spec, relative to the spec's own folder.
func (s *Spec) Path(name string) string {
	return store.Resolve(s.doc.File, name)
}

// Horizon returns the time after which a run is cut.
func (s *Spec) Horizon() time.Duration { return units.Seconds(s.HorizonS) }

// TimelineSeeds returns the number of seeds, from the first, whose timelines are
// kept.
func (s *Spec) TimelineSeeds() int { return valueOr(s.Timelines, 1) }

// Source returns the spec's file name and text, for provenance.
func (s *Spec) Source() (string, []byte) { return s.doc.File, s.doc.Source }

// ErrorAt returns an error at a place in the file, such as "$.market.pools[0].quota".
func (s *Spec) ErrorAt(path, format string, args ...any) error {
	return s.doc.ErrorAt(path, format, args...)
}

// partError is an error in what a key holds, below the place that is checked.
type partError struct {
	key string // or several, joined by dots
	err error
}

func (e *partError) Error() string { return e.key + ": " + e.err.Error() }

func (e *partError) Unwrap() error { return e.err }

// atPart returns an error at a place, or below it where it is that of a part
// which the file has.
func (s *Spec) atPart(path, prefix string, err error) error {
	var part *partError
	if errors.As(err, &part) {
		if below := path + "." + part.key; s.doc.Has(below) {
			return s.ErrorAt(below, "%s%v", prefix, part.err)
		}
	}
	return s.ErrorAt(path, "%s%v", prefix, err)
}

func (s *Spec) hasTrace(name string) bool {
	return slices.ContainsFunc(s.Market.Traces, func(h Trace) bool { return h.Name == name })
}

// oneType reports whether all pools are of one instance type.
func (s *Spec) oneType() bool {
	return !slices.ContainsFunc(s.Market.Pools, func(p Pool) bool { return p.Type != s.Market.Pools[0].Type })
}

// onDemand returns how many instances of one pool can be had on demand at once.
func (s *Spec) onDemand() int {
	n := 0
	for i := range s.Market.Pools {
		n = max(n, s.Market.Pools[i].OnDemandQuota)
	}
	for i := range s.Market.Servers {
		if x := &s.Market.Servers[i]; x.OnDemand {
			n = max(n, x.GPUs)
		}
	}
	return n
}

// fleet returns the most instances that a run can hold, on spot and on demand.
func (s *Spec) fleet() int {
	places := 1
	if x := s.Market.Synthetic; x != nil {
		regions, zones := x.Size()
		places = regions * zones
	}
	n := 0
	for _, p := range s.Market.Pools {
		n += *p.Quota*places + p.OnDemandQuota*s.OnDemandPlaces()
	}
	for _, c := range s.Market.Commitments {
		if c.Kind == CapacityBlock {
			n += c.Instances
		}
	}
	return min(n, math.MaxInt32)
}
