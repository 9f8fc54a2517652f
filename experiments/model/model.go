// Package model has the kinds of models of a job. A kind is one package: what a spec says of such a job, under a key of
// its own of model, what is wrong with it, and the sim.Model that is made of it. Register makes it known, and all that
// reads, runs, bounds and explains a spec asks the Kind and the Job, never which kind it is:
//
//	func init() {
//		model.Register(model.Kind{
//			Key:  "mine",
//			Name: "of my own",
//			Doc:  "training as mine does",
//			Job:  func() model.Job { return &Mine{} },
//		})
//	}
//
// A program whose specs are to know a kind imports its package (experiments/spec imports ours).
package model

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/marigram/marigram/internal/fields"
	"github.com/marigram/marigram/policies"
)

// Kind is a kind of models.
type Kind struct {
	// Key is below model in a spec; empty, of one kind: its keys are those of model, and it is meant where no other is.
	Key  string
	Name string // after "the model is" in errors, such as "data-parallel"
	Doc  string // of the key, for the schema and editors

	// Job returns a new pointer to a struct, into which the key is decoded. Its fields have the keys below, with their
	// rules in tags (package internal/fields), which are checked before anything else is asked.
	Job func() Job

	// Own returns a new pointer to a struct of pointers: keys that policies may have in place of those of the job of
	// the same names (PerPolicy). Nil: policies have none.
	Own func() any

	// Serves says which policies can plan for such jobs, besides those for any model.
	Serves []policies.Needs
	// ByLoss says that the job is done when it reaches a loss, which objectives state; else when all of it is trained.
	ByLoss bool
	// NoTraining says that it is no job that is trained to an end: only policies of Serves are for it, no time or size
	// of a cluster that it takes is worked out, and there is nothing to advise on.
	NoTraining bool
	// NoBound says why the least cost of such a job is not known; empty: by its sim.Model (package bound).
	NoBound string
	// Moves says where the model itself has what moving the job's state takes; empty: market.moves has it.
	Moves string
	// Shares says between what a slow machine can have its micro-batches shared (slow.do: rebalance): "workers", or
	// "pipelines", in which it can be moved as well; empty: no share of them is its own.
	Shares string
	// Names returns what texts at keys below the kind's own can be, by the keys joined by dots, where a tag cannot list
	// them; nil: all such texts are in tags. It is for the schema.
	Names func() map[string][]string
}

// Path returns the place of the kind's key in a spec.
func (k *Kind) Path() string {
	if k.Key == "" {
		return "$.model"
	}
	return "$.model." + k.Key
}

// kinds is all that are registered, sorted by key.
var kinds []*Kind

// keys is what they add to model: a field for each, in the same order.
var keys fields.Extension

// Register makes a kind known. It is for init functions, and panics without a name or Job, and where the key is taken.
func Register(k Kind) {
	if k.Name == "" || k.Job == nil {
		panic(fmt.Sprintf("model: kind %q without a name or Job", k.Key))
	}
	byKey := func(kind *Kind, key string) int { return strings.Compare(kind.Key, key) }
	at, taken := slices.BinarySearchFunc(kinds, k.Key, byKey)
	if taken {
		panic(fmt.Sprintf("model: kinds %q and %q have the same key %q", kinds[at].Name, k.Name, k.Key))
	}
	kinds = slices.Insert(kinds, at, &k)
	field := reflect.StructField{Name: "Kind_" + k.Key, Type: reflect.TypeOf(k.Job())}
	if k.Key == "" {
		field.Type = field.Type.Elem()
		field.Tag = `json:",inline"`
	} else {
		doc := k.Doc + "; excludes the other keys"
		field.Tag = reflect.StructTag(fmt.Sprintf(`json:"%s,omitempty" excludes:"*" jsonschema:%q`, k.Key, doc))
	}
	keys.Add(field)
	registerOwn(&k)
}

// Kinds returns all kinds in the order of their keys.
func Kinds() []*Kind { return slices.Clone(kinds) }

// Section is the part of a spec's model that kinds are registered for: at most one of them has its key there. It is a
// field without a key (fields.Open).
type Section struct {
	jobs any // a pointer to a struct with a field for each kind; nil until something is read into it
}

// Registered implements fields.Open: a pointer to the job of each kind with a key, and the job of the one without.
func (s *Section) Registered() reflect.Value {
	if s.jobs == nil {
		s.jobs = keys.New().Addr().Interface()
	}
	return reflect.ValueOf(s.jobs).Elem()
}

// Empty reports whether the spec has no key of any kind.
func (s *Section) Empty() bool { return s.jobs == nil || s.Registered().IsZero() }

// Chosen returns the kind whose key the spec has, and its job; where it has none, the kind without a key, or nil if
// there is no such kind.
func (s *Section) Chosen() (chosen *Kind, job Job) {
	jobs := s.Registered()
	for i, kind := range kinds {
		field := jobs.Field(i)
		if kind.Key == "" {
			chosen = kind
			job = field.Addr().Interface().(Job)
		} else if !field.IsNil() {
			return kind, field.Interface().(Job)
		}
	}
	return chosen, job
}
