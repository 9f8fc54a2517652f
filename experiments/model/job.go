package model

import (
	"errors"

	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
)

// Job is what a spec says of a job.
type Job interface {
	// Open reads what the job refers to, such as files, and returns how its models are made. Errors are those of
	// Study.ErrorAt, or name what is wrong, which is then placed at the kind's key, or below it (At).
	Open(s Study) (*Opened, error)
}

// PerPolicy is a Job of a kind with Kind.Own: it is another one under each policy.
type PerPolicy interface {
	Job
	// OpenFor is Open under a policy. Errors are about the policy, or about a key of it (At).
	OpenFor(s Study, p *Policy) (*Opened, error)
	// CheckFor reports why a policy cannot run the job: an error as of OpenFor.
	CheckFor(s Study, p *Policy) error
	// Suits reports whether the job is one for policies with these needs that hold so many instances at most, where
	// they have no keys of their own and Kind.Serves has the needs. Where the job cannot be opened, it is true of
	// policies for any model: Open says why.
	Suits(s Study, needs policies.Needs, fleet int) bool
}

// Opened is a job whose models can be made.
type Opened struct {
	// On returns the model for pools, in their order: a sim.PipelineModel or a sim.WorkerModel, of which policies ask
	// how many instances are of use. It is called for each market, from several goroutines.
	On func(pools []sim.Pool) (sim.Model, error)
	// OnSeed is On for the runs of a seed, where each seed draws what the job is like; nil: it is the same in all.
	OnSeed   func(pools []sim.Pool, seed int64) (sim.Model, error)
	Warnings []string // why numbers may mislead
	// SlowWarnings returns further ones, which take a search: it is called before runs, not where a spec is only
	// checked. Nil: there are none.
	SlowWarnings func() []string
	// Smallest is the number of instances below which nothing trains; policies that may hold fewer are refused. 0: not
	// known.
	Smallest int
}

// Sized is a Job whose size is a number of samples, so that a mean rate of samples can be asked for.
type Sized interface {
	// SizeInSamples returns the size; 0 if it is not one in samples.
	SizeInSamples() float64
}

// Reader is a Job that refers to files.
type Reader interface {
	// Files returns their names, relative to the spec; empty ones do not count.
	Files(s Study) []string
}

// Booter is a Job with a say in the time from the grant of an instance until it trains.
type Booter interface {
	// Boot returns this time; of is that of the market: stated in the spec, or the default.
	Boot(s Study, of sim.Boot, stated bool) sim.Boot
}

// ServerUser is a Job with parameter servers, or one that may use them. Others have none, and a price of them is
// refused.
type ServerUser interface {
	// Servers returns how many there are at the start, and why none is ever used; empty if some may be.
	Servers(s Study) (atStart int, unused string)
}

// Unbounded is a Job whose keys decide whether the least cost of it is known, besides Kind.NoBound.
type Unbounded interface {
	// NoBound returns which key below the kind's own rules a bound out, and why; empty: none does.
	NoBound() (key, why string)
}

// Estimated is a Job whose speed may be an estimate, with a band.
type Estimated interface {
	// Estimate returns it; false where the speed is not estimated, or the spec asks for no runs at the ends of its
	// band.
	Estimate(s Study) (Estimate, bool)
}

// Estimate is an estimated speed.
type Estimate struct {
	Unit   string  // such as tokens/s
	Middle float64 // in that unit
	// Slow and Fast are how far the ends of the band, within which eight of ten jobs are, lie below and above the
	// middle: of the logarithm.
	Slow, Fast float64
	Memory     string // what a GPU holds of its memory, in a few words; empty: not known
}

// Study is the spec that a job is part of.
type Study interface {
	// Path returns a file named in the spec, relative to the spec's own folder.
	Path(name string) string
	// Folder returns a folder named in the spec, which pulled:NAME is if that public set was pulled; else it is an
	// error.
	Folder(name string) (string, error)
	// ErrorAt returns an error at a place of the spec, such as "$.market.pools[0].type".
	ErrorAt(path, format string, args ...any) error
	// Pools returns where instances can be had, in the order of market.pools.
	Pools() []Pool
	// Fleet returns how many instances can be held at once.
	Fleet() int
	// TypeQuotas returns the instance types with how many of each can be held, in the order of their first pools.
	TypeQuotas() []TypeQuota
	// OnDemandByRegion reports whether on demand is sold by region; else it is wherever the job is.
	OnDemandByRegion() bool
	// Losses returns the losses to reach, in the order of the objectives; 0 where one has none.
	Losses() []float64
	// Policies returns the policies, in their order.
	Policies() []*Policy
	// OnDemand returns how many instances of one pool can be had on demand at once.
	OnDemand() int
	// LnSpeed returns by what the logarithm of an estimated speed is to be moved from its middle (Estimated).
	LnSpeed() float64
	// Seeds returns the first seed, and how many there are.
	Seeds() (first int64, count int)
	// LinkGBPerS returns the rate of market.moves, 1e9 bytes per second; 0 if there is none.
	LinkGBPerS() float64
}

// Pool is one of market.pools.
type Pool struct {
	Type                string // instance type
	Cloud, Region, Zone string
	OnDemandUSDPerH     float64 // 0: not known
}

// TypeQuota is how many instances of a type can be held, on spot and on demand.
type TypeQuota struct {
	Type      string
	Instances int
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
