// Package model has the kinds of models of a job. A kind is one package: what a spec says of such a job, under a key of
// its own of model, what is wrong with it, and the sim.Model that is made of it. Register makes it known, and all that
// reads, runs, bounds and explains a spec asks the Kind and the Job, never which kind it is:
//
//	func init() {
//		model.Register(model.Kind{Key: "mine", Name: "of my own", Doc: "training as mine does", Job: func() model.Job { return &Mine{} }})
//	}
//
// A program whose specs are to know a kind imports its package (experiments/spec imports ours).
package model

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/marigram/marigram/internal/fields"
	"github.com/marigram/marigram/internal/registry"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
)

// Kind is a kind of models.
type Kind struct {
	Key  string // below model in a spec
	Name string // after "the model is" in errors, such as "data-parallel"
	Doc  string // of the key, for the schema and editors

	// Job returns a new pointer to a struct, into which the key is decoded. Its fields have the keys below, with their
	// rules in tags (package internal/fields), which are checked before anything else is asked.
	Job func() Job

	// Serves says which policies can plan for such jobs, besides those for any model.
	Serves []policies.Needs
	// NoTraining says that it is no job that is trained to an end: only policies of Serves are for it, no time or size
	// of a cluster that it takes is worked out, and there is nothing to advise on.
	NoTraining bool
	// NoBound says why the least cost of such a job is not known; empty: by its sim.Model (package bound).
	NoBound string
	// Moves says that the model works out itself what moving the job's state takes: the market has no moves.
	Moves bool
}

// Job is what a spec says of a job. The job is done when all of it is trained: it has no loss to reach.
type Job interface {
	// Open reads what the job refers to, such as files, and returns how its models are made. Errors are those of
	// Study.ErrorAt, or name what is wrong, which is then placed at the kind's key, or below it (At).
	Open(s Study) (*Opened, error)
}

// Opened is a job whose models can be made.
type Opened struct {
	// On returns the model for pools, in their order: a sim.PipelineModel or a sim.WorkerModel, of which policies ask
	// how many instances are of use. It is called for each market, from several goroutines.
	On       func(pools []sim.Pool) (sim.Model, error)
	Warnings []string // why numbers may mislead
	Smallest int      // number of instances below which nothing trains; policies that may hold fewer are refused. 0: not known
}

// Sized is a Job whose size is a number of samples, so that a mean rate of samples can be asked for.
type Sized interface {
	// SizeInSamples returns the size; 0 if it is not one in samples.
	SizeInSamples() float64
}

// Reader is a Job that refers to files.
type Reader interface {
	// Files returns their names, relative to the spec; empty ones do not count.
	Files() []string
}

// Booter is a Job with a say in the time from the grant of an instance until it trains.
type Booter interface {
	// Boot returns this time; of is that of the market: stated in the spec, or the default.
	Boot(s Study, of sim.Boot, stated bool) sim.Boot
}

// Study is the spec that a job is part of.
type Study interface {
	// Path returns a file named in the spec, relative to the spec's own folder.
	Path(name string) string
	// ErrorAt returns an error at a place of the spec, such as "$.market.pools[0].type".
	ErrorAt(path, format string, args ...any) error
	// Pools returns where instances can be had, in the order of market.pools.
	Pools() []Pool
	// Fleet returns how many instances can be held at once.
	Fleet() int
	// LinkGBPerS returns the rate of market.moves, 1e9 bytes per second; 0 if there is none.
	LinkGBPerS() float64
}

// Pool is one of market.pools.
type Pool struct {
	Type                string // instance type
	Cloud, Region, Zone string
	OnDemandUSDPerH     float64 // 0: not known
}

// kinds is all that are registered, by key.
var kinds = registry.New[Kind]("kind of model")

// keys is what they add to model.
var keys fields.Extension

// Register makes a kind known. It is for init functions, and panics without a key, a name or Job, and where the key is
// taken.
func Register(k Kind) {
	if k.Name == "" || k.Job == nil {
		panic(fmt.Sprintf("model: kind %q without a name or Job", k.Key))
	}
	kinds.Add(k.Key, k)
	tag := fmt.Sprintf(`json:"%s,omitempty" excludes:"*" jsonschema:%q`, k.Key, k.Doc+"; excludes the other keys")
	keys.Add(reflect.StructField{Name: "Kind_" + k.Key, Type: reflect.TypeOf(k.Job()), Tag: reflect.StructTag(tag)})
}

// Kinds returns all kinds in the order of their keys.
func Kinds() []Kind { return kinds.All() }

// Section is the part of a spec's model that kinds are registered for: at most one of them has its key there. It is a
// field without a key (fields.Open).
type Section struct {
	jobs any // a pointer to a struct of pointers to jobs; nil until something is read into it
}

// Registered implements fields.Open: a pointer for each kind, of which one at most is set.
func (s *Section) Registered() reflect.Value {
	if s.jobs == nil {
		s.jobs = keys.New().Addr().Interface()
	}
	return reflect.ValueOf(s.jobs).Elem()
}

// Chosen returns the kind whose key the spec has, and its job; nil if it has none of a registered kind.
func (s *Section) Chosen() (*Kind, Job) {
	if s.jobs == nil {
		return nil, nil
	}
	jobs := reflect.ValueOf(s.jobs).Elem()
	for i := range jobs.NumField() {
		if jobs.Field(i).IsNil() {
			continue
		}
		k, _ := kinds.Get(strings.TrimPrefix(jobs.Type().Field(i).Name, "Kind_"))
		return &k, jobs.Field(i).Interface().(Job)
	}
	return nil, nil
}

// SmallestOf returns the number of instances below which a job does not train, for Opened.
func SmallestOf(m sim.PipelineModel) int {
	instances := 1
	for {
		if pipelines, _ := m.Best(instances); pipelines > 0 {
			return instances
		}
		instances++
	}
}

// At returns an error in what a key below the kind's own holds; several keys are joined by dots.
func At(key string, err error) error { return &partError{key, err} }

type partError struct {
	key string
	err error
}

func (e *partError) Error() string { return e.key + ": " + e.err.Error() }

func (e *partError) Unwrap() error { return e.err }

// Part returns the key and the error of At; an empty key and the error itself if it is another one.
func Part(err error) (key string, inner error) {
	if part, is := errors.AsType[*partError](err); is {
		return part.key, part.err
	}
	return "", err
}
