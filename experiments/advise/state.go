package advise

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/marigram/marigram/experiments/internal/document"
	"github.com/marigram/marigram/experiments/market"
	"github.com/marigram/marigram/internal/store"
)

// State is what is known of a job that runs, or of the many jobs of a cluster: a file in YAML or JSON. Instants are of
// the calendar (RFC 3339) or seconds from the beginning of the spec's market.
type State struct {
	Now       string     `json:"now" numbers:"true" jsonschema:"the present: an instant such as 2026-02-16T12:00:00Z, or seconds from the beginning of the market"`
	Started   string     `json:"started" numbers:"true" jsonschema:"when the job was submitted; its objective's time counts from here. Of many jobs: when the first of the spec's list was submitted"`
	Objective string     `json:"objective,omitempty" jsonschema:"name of the spec's objective; the first if absent"`
	Done      *float64   `json:"done,omitempty" min:"0" below:"1" jsonschema:"share of the training that is done, from 0 to below 1"`
	Loss      *float64   `json:"loss,omitempty" jsonschema:"present training loss, instead of done"`
	SpentUSD  *float64   `json:"spent_usd,omitempty" min:"0" jsonschema:"what was paid until now; if absent, what the instances cost by the market's prices"`
	Speed     float64    `json:"speed,omitempty" min:"0.01" max:"100" jsonschema:"speed of the job relative to the model, such as 0.93; 1 if absent"`
	Instances []Instance `json:"instances,omitempty" items:"10000" jsonschema:"what is held, and what was held before"`
	Requests  []Request  `json:"requests,omitempty" items:"10000" jsonschema:"what was asked for and not granted at once"`
	// DurationsSigma is how unsure durations are; 0: they are known.
	DurationsSigma float64 `json:"durations_sigma,omitempty" min:"0" max:"3" jsonschema:"of a spec of many jobs: how unsure the durations of the list are, the standard deviation of the logarithm of what a job takes by what the list says. Each continuation draws them anew, longer than jobs have run; 0.5 is a factor of 0.6 to 1.6 for two jobs in three. If absent they are known"`
	Jobs           []Job   `json:"jobs,omitempty" items:"100000" jsonschema:"of a spec of many jobs: those that are there now; those submitted by now that are not listed are over"`

	doc *document.Document
}

// Instance is one instance that was granted.
type Instance struct {
	ID       string `json:"id,omitempty" jsonschema:"its name, for the plan that is printed"`
	Pool     string `json:"pool,omitempty" jsonschema:"name of the pool, such as us-east-1a/p3.2xlarge or on-demand/p3.2xlarge; or type and zone"`
	Type     string `json:"type,omitempty" jsonschema:"instance type, instead of pool"`
	Zone     string `json:"zone,omitempty" jsonschema:"zone, with type"`
	OnDemand bool   `json:"on_demand,omitempty" jsonschema:"bought on demand, with type"`
	Since    string `json:"since" numbers:"true" jsonschema:"when it was granted"`
	Ready    string `json:"ready,omitempty" numbers:"true" jsonschema:"since when it can train; absent: it boots"`
	Noticed  string `json:"noticed,omitempty" numbers:"true" jsonschema:"when the notice of its preemption came"`
	Gone     string `json:"gone,omitempty" numbers:"true" jsonschema:"when the cloud took it or, after a notice, takes it; by the pool's notice if absent"`
	Released string `json:"released,omitempty" numbers:"true" jsonschema:"when it was given back"`
}

// Request is a number of instances that were asked for and waited for capacity.
type Request struct {
	Pool     string `json:"pool,omitempty" jsonschema:"name of the pool; or type and zone"`
	Type     string `json:"type,omitempty" jsonschema:"instance type, instead of pool"`
	Zone     string `json:"zone,omitempty" jsonschema:"zone, with type"`
	OnDemand bool   `json:"on_demand,omitempty" jsonschema:"on demand, with type"`
	N        int    `json:"n" jsonschema:"number of instances"`
	Since    string `json:"since" numbers:"true" jsonschema:"since when they wait"`
	Until    string `json:"until,omitempty" numbers:"true" jsonschema:"until when; absent: they still wait"`
}

// maxStateBytes bounds a state file.
const maxStateBytes = 16 << 20

// Open reads a state file.
func Open(name string) (*State, error) {
	data, err := store.ReadInput(name, maxStateBytes)
	if err != nil {
		return nil, err
	}
	return Parse(name, data)
}

// Parse reads a state from YAML or JSON. Errors give file, line and column, an excerpt, and for an
// unknown key the nearest that is known.
func Parse(name string, data []byte) (s *State, err error) {
	if len(data) > maxStateBytes {
		return nil, fmt.Errorf("%s: larger than %d bytes", name, maxStateBytes)
	}
	defer document.Guard(name, &s, &err)
	doc, err := document.Parse(name, "a state", data)
	if err != nil {
		return nil, err
	}
	s = &State{doc: doc}
	if err := doc.Decode(s); err != nil {
		return nil, err
	}
	if err := doc.Check(s); err != nil {
		return nil, err
	}
	return s, s.check()
}

// errorAt returns an error at a place of the file.
func (s *State) errorAt(path, format string, args ...any) error {
	if s.doc == nil {
		return fmt.Errorf("state: %s: %s", path, fmt.Sprintf(format, args...))
	}
	return s.doc.ErrorAt(path, format, args...)
}

// check checks what needs no market.
func (s *State) check() error {
	named := map[string]int{}
	for i := range s.Instances {
		x := &s.Instances[i]
		id := x.ID
		if id == "" || x.Released != "" || x.Gone != "" {
			continue // one that was stopped may have come back
		}
		if at, twice := named[id]; twice {
			return s.errorAt(fmt.Sprintf("$.instances[%d].id", i),
				"%q is instances[%d], too: expected a name of its own, or none", id, at)
		}
		named[id] = i
	}
	if _, err := instant(s.Now); err != nil {
		return s.errorAt("$.now", "%v", err)
	}
	return nil
}

// maxSeconds bounds seconds from the beginning of a market: 300 years.
const maxSeconds = 300 * 366 * 86400

// instant reads an instant of a state.
func instant(text string) (at market.Instant, err error) {
	if x, err := strconv.ParseFloat(text, 64); err == nil {
		if !(x >= 0 && x <= maxSeconds) {
			return at, fmt.Errorf("%s s from the beginning of the market, expected 0 to %d", text, int64(maxSeconds))
		}
		return market.Instant{Since: time.Duration(math.Round(x*1e6)) * time.Microsecond}, nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return at, fmt.Errorf("%q, expected an instant such as 2026-02-16T12:00:00Z, "+
			"or seconds from the beginning of the market", text)
	}
	if t.Year() < 1970 || t.Year() > 2200 {
		return at, fmt.Errorf("%q, expected a year from 1970 to 2200", text)
	}
	return market.Instant{Calendar: t}, nil
}

// Until returns the present, until which traces are known.
func (s *State) Until() market.Instant {
	at, _ := instant(s.Now) // check has read it
	return at
}

// listsJobs reports whether the state says which jobs are there, if only that none is.
func (s *State) listsJobs() bool { return s.Jobs != nil }

// Job is one of many jobs of a spec that is there now: it runs or it waits.
type Job struct {
	ID        string         `json:"id" jsonschema:"its name in the spec's list of jobs"`
	Done      *float64       `json:"done,omitempty" min:"0" below:"1" jsonschema:"share of its work that is done; if absent, by the model and what it holds"`
	RanS      *float64       `json:"ran_s,omitempty" min:"0" max:"1000000000" jsonschema:"seconds that it has run so far, in all; if absent, since it runs where it does, and 0 if it waits"`
	On        map[string]int `json:"on,omitempty" items:"1000" jsonschema:"where it runs: GPUs by the name of their pool; absent: it waits"`
	Instances []string       `json:"instances,omitempty" items:"10000" jsonschema:"where it runs: ids of instances, one for each GPU"`
	Since     string         `json:"since,omitempty" numbers:"true" jsonschema:"since when it runs there; if absent, since its submission or its last instance"`
}
