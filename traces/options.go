package traces

import (
	"fmt"
	"time"
)

// Polarity says what a 1 means in a source of zeros and ones. Both are in use,
// in files of the same layout, so that it is never guessed.
type Polarity string

// The polarities.
const (
	PolarityUnstated Polarity = ""
	OneIsAvailable   Polarity = "1=available"
	OneIsPreempted   Polarity = "1=preempted" // zeros and ones only
)

// Disorder says what to do with rows that go back in time, where a source that
// should be in order is not.
type Disorder string

// The disorder policies.
const (
	Strict Disorder = "" // refuse, naming the line
	// FileOrder keeps the order of the rows: one from the past holds from the latest
	// instant so far.
	FileOrder    Disorder = "file_order"
	SortLastWins Disorder = "sort_last_wins" // sort by time; of two rows at one instant the later in the file holds
)

// DefaultMaxHole is how many median distances of two polls a silence may last before
// it is a gap (Options.MaxHole): a few polls that failed say nothing about machines.
const DefaultMaxHole = 10

// Options says what the sources do not. The zero value is right for exports
// that are complete and describe themselves. The manifest records it.
type Options struct {
	// TraceID names the trace; empty: importer and hash of the sources.
	TraceID string `json:"trace_id,omitempty"`
	// Repo, Commit and Licence say where the sources came from.
	Repo    string `json:"repo,omitempty"`
	Commit  string `json:"commit,omitempty"`
	Licence string `json:"licence,omitempty"`
	// AccountTag says whose zone names these are.
	AccountTag string `json:"account_tag,omitempty"`

	// Cloud, Region, Zone, InstanceType, GPU and GPUs describe the pool of
	// sources that do not; they go before what a file's name says.
	Cloud        string `json:"cloud,omitempty"`
	Region       string `json:"region,omitempty"`
	Zone         string `json:"zone,omitempty"`
	InstanceType string `json:"instance_type,omitempty"`
	GPU          string `json:"gpu,omitempty"`
	GPUs         int    `json:"gpus,omitempty"`
	// OnDemandNano gives list prices by instance type, nano-USD per hour.
	OnDemandNano map[string]int64 `json:"on_demand_nanousd_per_hour,omitempty"`

	// Semantics says what an observation means (the Semantics constants);
	// empty: what the format usually means.
	Semantics string `json:"semantics,omitempty"`
	// Polarity says what a 1 means.
	Polarity Polarity `json:"polarity,omitempty"`
	// Cap is the number of machines that was asked for; 0: the largest count
	// of each file, which the manifest notes.
	Cap int `json:"cap,omitempty"`
	// PriceArrays is a JSON file of price arrays by file stem, value i for
	// data row i of the availability file of that name; or a folder of files `{"prices": [...]}`
	// of these names.
	PriceArrays string `json:"price_arrays,omitempty"`

	// Unit is the unit of the times of node events; 0: a millisecond.
	Unit time.Duration `json:"unit_ns,omitempty"`
	// Sampling is the true distance of two observations; 0: as the source
	// says. Published counts are known to say it wrong.
	Sampling time.Duration `json:"sampling_ns,omitempty"`
	// Start is the instant at which a relative clock began, for price exports
	// the StartTime of the query; zero: not known.
	Start time.Time `json:"start,omitzero"`
	// Offsets shifts the beginning of relative files by their stems, where
	// they are known not to begin together.
	Offsets map[string]time.Duration `json:"offsets_ns,omitempty"`
	// End is the end of the observation; zero: the end of the last tick, or
	// the last row.
	End time.Time `json:"end,omitzero"`
	// MaxHole is the longest silence between two polls that is no gap; 0: ten
	// times the median distance of the file's polls. The last observation holds in it.
	MaxHole time.Duration `json:"max_hole_ns,omitempty"`

	// Job chooses one of several in a file of records of runs; empty: the only one.
	Job string `json:"job,omitempty"`
	// Location is that of clocks of records of runs that do not say it (Slurm's, for instance); nil: UTC.
	Location *time.Location `json:"-"`

	// Disorder says what to do with rows that go back in time.
	Disorder Disorder `json:"disorder,omitempty"`
	// AllowTruncated accepts a page that was cut (non-empty NextToken): older
	// prices are missing.
	AllowTruncated bool `json:"allow_truncated,omitempty"`
	// MaxFileBytes is the most text, unpacked, of a file whose rows are held in
	// memory; 0: DefaultMaxFileBytes. ImportTo reads prices of AWS (as JSON, lines,
	// text, archive), azure-retail, gcp-prices and prices-csv of any length.
	MaxFileBytes int64 `json:"max_file_bytes,omitempty"`
}

// Check returns what is wrong with the options.
func (o *Options) Check() error {
	switch {
	case o.Polarity != PolarityUnstated && o.Polarity != OneIsAvailable && o.Polarity != OneIsPreempted:
		return fmt.Errorf("polarity %q, expected %q or %q", o.Polarity, OneIsAvailable, OneIsPreempted)
	case o.Disorder != Strict && o.Disorder != FileOrder && o.Disorder != SortLastWins:
		return fmt.Errorf("disorder %q, expected empty, %q or %q", o.Disorder, FileOrder, SortLastWins)
	case o.Cap < 0 || o.Cap > MaxMachines:
		return fmt.Errorf("cap %d, expected 0 to %d", o.Cap, MaxMachines)
	case o.GPUs < 0 || o.GPUs > 1024:
		return fmt.Errorf("gpus %d, expected 0 to 1024", o.GPUs)
	case o.Unit < 0 || o.Sampling < 0 || o.MaxHole < 0 || o.MaxFileBytes < 0:
		return fmt.Errorf("unit, sampling, max hole and max file bytes: expected at least 0")
	case o.Unit%time.Microsecond != 0 || o.Sampling%time.Microsecond != 0:
		return fmt.Errorf("unit and sampling: expected whole microseconds")
	}
	for _, t := range []time.Time{o.Start, o.End} {
		if _, err := Instant(t.UTC()); err != nil && !t.IsZero() {
			return fmt.Errorf("start or end %v %w", t, err)
		}
	}
	for stem, d := range o.Offsets {
		if d < 0 || d > 100*365*24*time.Hour || d%time.Microsecond != 0 {
			return fmt.Errorf("offset %v of %s, expected whole microseconds from 0 to 100 years", d, stem)
		}
	}
	for typ, nano := range o.OnDemandNano {
		if nano < 0 || nano > MaxPriceNano {
			return fmt.Errorf("on-demand price %d of %s, expected 0 to %d nano-USD/h", nano, typ, int64(MaxPriceNano))
		}
	}
	return nil
}
