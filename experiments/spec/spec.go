// Package spec holds what a study asks for: the YAML form of a spec, its checks, and
// the models that it names. Start with Spec, whose fields are the keys of the file,
// and Open:
//
//	s, err := spec.Open("mine.yaml", spec.Setting{Path: "market.replay.notice_s", Value: 30})
//
// Errors name file, line, column, value and what was expected. A key is a field with
// its name, unit and meaning in tags, from which Schema is made; a name that is gone
// is refused with the present one (package internal/gone).
package spec

import (
	"slices"
	"time"

	"github.com/marigram/marigram/experiments/internal/document"
	"github.com/marigram/marigram/experiments/model"
	"github.com/marigram/marigram/experiments/objective"
	"github.com/marigram/marigram/experiments/spec/cluster"
	"github.com/marigram/marigram/internal/fields"
	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/internal/store"
	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/policies/plugin/loader"
	"github.com/marigram/marigram/sim"
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

	Bound bool `json:"bound,omitempty" jsonschema:"also work out what no policy can beat: columns bound_usd, bound_spot_usd, without_foresight_usd, regret; about 0.1 s, on synthetic markets 0.3 s, for each objective, seed and start"`

	Market     Market        `json:"market" jsonschema:"prices and capacity"`
	Model      Model         `json:"model,omitzero" jsonschema:"how the job trains"`
	Objectives []Objective   `json:"objectives,omitempty" either:"work" jsonschema:"goals; each is simulated on its own"`
	Jobs       *cluster.Jobs `json:"jobs,omitempty" either:"work" jsonschema:"instead of objectives: many jobs that share a cluster"`
	Policies   []Policy      `json:"policies,omitempty" jsonschema:"policies to compare; all that fit the model and the pools, except oracles and rules of tools, if absent"`

	lnSpeed float64 // of an estimated speed: how far it is from its middle (AtSpeed)

	all     bool // no policies were named: those that fit
	doc     document.Document
	shared  []string // what settings of policies change more than one, a sentence each
	reading Reading
}

// WholeJob reports whether the job is n samples, all of which are to be
// trained: it has no loss to reach.
func (s *Spec) WholeJob() bool {
	kind, _ := s.kind()
	return kind != nil && !kind.ByLoss
}

// Path returns a file named in the spec, relative to the spec's own folder.
func (s *Spec) Path(name string) string {
	return store.Resolve(s.doc.File, name)
}

// Horizon returns the time after which a run is cut.
func (s *Spec) Horizon() time.Duration { return units.Seconds(s.HorizonS) }

// TimelineSeeds returns the number of seeds, from the first, whose timelines are
// kept.
func (s *Spec) TimelineSeeds() int { return stats.Or(s.Timelines, 1) }

// Source returns the spec's file name and text, for provenance.
func (s *Spec) Source() (string, []byte) { return s.doc.File, s.doc.Source }

// ErrorAt returns an error at a place in the file, such as "$.market.pools[0].quota".
func (s *Spec) ErrorAt(path, format string, args ...any) error {
	return s.doc.ErrorAt(path, format, args...)
}

// atPart returns an error at a place, or below it where it is that of a part
// which the file has.
func (s *Spec) atPart(path, prefix string, err error) error {
	if key, inner := model.Part(err); key != "" && s.doc.Has(path+"."+key) {
		return s.ErrorAt(path+"."+key, "%s%v", prefix, inner)
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

// Reading says how a spec is read. The zero value reads it as Open and Parse do.
type Reading struct {
	// Commands is that its policies may run their commands, which are then asked for their settings.
	Commands bool
	// Plugins are policies of a user's own that are added, before settings of policies are changed (Spec.AddPlugin).
	Plugins []*loader.Plugin
}

// Objective is what is asked for, in a share of the runs: a loss, or a whole job of samples, within a time; or what a
// registered kind (package objective) asks for.
type Objective struct {
	Name   string   `json:"name,omitempty" jsonschema:"label in results; made from the numbers if absent"`
	Loss   float64  `json:"loss,omitempty" above:"0" jsonschema:"training loss to reach; left out for a pipelined job, which trains all its samples"`
	TimeS  float64  `json:"time_s,omitempty" min:"1" max:"632448000" either:"limit" jsonschema:"time limit in seconds, from the start"`
	Within string   `json:"within,omitempty" either:"limit" jsonschema:"time limit as text instead: 90s, 66h40m, 3d or 2d12h"`
	Share  *float64 `json:"share,omitempty" above:"0" max:"1" jsonschema:"share of the runs that has to meet the objective, above 0 and at most 1: results then have a verdict; none if absent"`

	Goal objective.Section `json:"-"` // instead of a time: one of the registered kinds
}

// UnmarshalYAML decodes the keys of the struct and those of the registered kinds.
func (o *Objective) UnmarshalYAML(decode func(any) error) error { return fields.Decode(o, decode) }

// Kind returns the kind of objectives that it is of.
func (o *Objective) Kind() *objective.Kind {
	kind, _ := o.Goal.Chosen()
	return kind
}

// GoalValue returns the number of the goal: dollars, samples per second or a ratio; nil of a deadline.
func (o *Objective) GoalValue() *float64 {
	_, goal := o.Goal.Chosen()
	if goal == nil {
		return nil
	}
	return new(goal.Value())
}

// Pursued returns the policy that pursues the objective as p decides.
func (o *Objective) Pursued(p sim.Policy) sim.Policy {
	_, goal := o.Goal.Chosen()
	if pursuer, is := goal.(objective.Pursuer); is {
		return pursuer.Pursue(p)
	}
	return p
}
