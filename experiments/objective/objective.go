// Package objective has the kinds of objectives of a job. A kind is one package: the keys that a spec's objective has
// for it, the time limit that follows from them, and when a run meets it. Register makes it known; specs, results and
// what compares runs ask the Kind and the Goal, never which kind it is. The kind without keys of its own is Deadline.
package objective

import (
	"reflect"

	"github.com/marigram/marigram/internal/fields"
	"github.com/marigram/marigram/internal/registry"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
)

// Kind is a kind of objectives.
type Kind struct {
	// Name is the key of an objective that asks for it, and its goal in results.
	Name string
	// Goal returns a new pointer to a struct, whose fields are keys of an objective, with their rules in tags (package
	// internal/fields): either:"limit", since an objective asks for one goal.
	Goal func() Goal

	// Meets reports whether a run meets an objective with a value (Goal.Value); nil: it does if the job is done in
	// time.
	Meets func(value float64, r Run) bool
	// Text says for people what is asked for: what is to be trained (a loss, or all samples), with a value, within a
	// time. Nil: what is to be trained, and the time.
	Text func(what string, value float64, within string) string

	// WithDeadline says that the objective has a time limit of its own, as one of a deadline has, and that the goal is
	// asked for beside it.
	WithDeadline bool
	// Beside is the kind of objectives that have keys of the goal, but not all that make it Given, beside a deadline
	// (Goal is then an Aside); nil: there is none.
	Beside *Kind
	// LateUSD returns what a run pays for being late, by the value of the goal; nil: nothing.
	LateUSD func(value float64, r Run) float64

	// Says is what tables and verdicts say of runs besides whether they meet the objective; most kinds have nothing.
	Says []Said
	// Unknown says for a warning what no policy knows of the goal; empty: all know of it what there is.
	Unknown string

	// NeedNotEnd says that the job need not be done at the end of the run.
	NeedNotEnd bool
	// ByWork says that the value is a budget: runs are compared by the work that is left, not by their cost, and
	// policies that plan by a deadline alone cannot pursue it.
	ByWork bool
	// NoBound says why the least cost of such an objective is not known; empty: it is that of its time limit.
	NoBound string
}

// Goal is what one objective of a spec asks for with the keys of a kind.
type Goal interface {
	// Given reports whether the objective has the keys.
	Given() bool
	// Value returns the number that is asked for.
	Value() float64
	// Label returns a name for an objective that has none.
	Label() string
	// TimeS returns the time limit in seconds; not asked of a kind WithDeadline. An error is about the key Kind.Name.
	TimeS(s Study) (float64, error)
}

// Said is a number of runs of which the mean is said.
type Said struct {
	Name  string // as the head of a column: late
	Share bool   // the mean is a share of the runs; else dollars
	Of    func(value float64, r Run) float64
}

// LateShare says how many runs are late, those that never ended too.
var LateShare = Said{Name: "late", Share: true, Of: func(_ float64, r Run) float64 {
	if r.Finished && r.LateH == 0 {
		return 0
	}
	return 1
}}

// Aside is a Goal with keys that can be given beside a deadline, too.
type Aside interface {
	// GivenAside reports whether they are, without what makes the goal Given.
	GivenAside() bool
}

// Pursuer is a Goal that policies pursue in another way than a deadline.
type Pursuer interface {
	// Pursue returns a policy that pursues the goal as p decides.
	Pursue(p sim.Policy) sim.Policy
}

// Study is what the time limit of an objective may depend on.
type Study struct {
	HorizonS float64 // after which runs are cut, seconds; 0: the spec does not say
	Samples  float64 // size of the job; 0: it is not one in samples
	MaxS     float64 // longest time limit, seconds
}

// Run is what a run came to.
type Run struct {
	USD       float64 // all that was paid
	UsefulH   float64 // instance-hours of training that was kept
	InstanceH float64 // instance-hours held

	Finished bool    // the job was done
	LateH    float64 // hours after the time limit at the end of the run; 0 in time
}

// Deadline is the kind of objectives that ask for the job in time, and for nothing else.
var Deadline = Kind{Name: "deadline"}

// kinds is all that are registered, by name.
var kinds = registry.New[*Kind]("kind of objective")

// besides are their Kind.Beside, by name.
var besides = registry.New[*Kind]("kind of objective beside a deadline")

// keys is what they add to an objective.
var keys fields.Extension

// Register makes a kind known. It is for init functions, and panics without a name or Goal, and where the name is
// taken.
func Register(k Kind) {
	if k.Goal == nil {
		panic("objective: kind " + k.Name + " without Goal")
	}
	kinds.Add(k.Name, &k)
	if k.Beside != nil {
		besides.Add(k.Beside.Name, k.Beside)
	}
	keys.Add(reflect.StructField{Name: "Goal_" + k.Name, Type: reflect.TypeOf(k.Goal()).Elem(), Tag: `json:",inline"`})
}

// Named returns the kind of a goal as results have it: Deadline for all that are not known.
func Named(goal string) *Kind {
	if kind, known := kinds.Get(goal); known {
		return kind
	}
	if kind, known := besides.Get(goal); known {
		return kind
	}
	return &Deadline
}

// Pursued returns the names of the kinds that a policy can pursue, deadlines first.
func Pursued(p *policies.Info) []string {
	names := []string{Deadline.Name}
	for _, kind := range kinds.All() {
		if kind.PursuedBy(p) {
			names = append(names, kind.Name)
		}
	}
	return names
}

// PursuedBy reports whether a policy can pursue the kind.
func (k *Kind) PursuedBy(p *policies.Info) bool { return !k.ByWork || !p.ByDeadline }

// Section is the part of an objective that kinds are registered for. It is a field without a key (fields.Open).
type Section struct {
	goals any // a pointer to a struct of goals; nil until something is read into it
}

// Registered implements fields.Open: the goals of all kinds, of which at most one is given.
func (s *Section) Registered() reflect.Value {
	if s.goals == nil {
		s.goals = keys.New().Addr().Interface()
	}
	return reflect.ValueOf(s.goals).Elem()
}

// Chosen returns the kind whose keys the objective has, and its goal: Deadline and nil if it has none of a registered
// kind.
func (s *Section) Chosen() (*Kind, Goal) {
	if s.goals == nil {
		return &Deadline, nil
	}
	goals := reflect.ValueOf(s.goals).Elem()
	for i, kind := range kinds.All() {
		if goal := goals.Field(i).Addr().Interface().(Goal); goal.Given() {
			return kind, goal
		}
	}
	for i, kind := range kinds.All() {
		goal := goals.Field(i).Addr().Interface().(Goal)
		if aside, is := goal.(Aside); is && kind.Beside != nil && aside.GivenAside() {
			return kind.Beside, goal
		}
	}
	return &Deadline, nil
}
