package skynomad

import (
	"fmt"
	"math"

	"github.com/marigram/marigram/papers/skynomad/reference"
	plan "github.com/marigram/marigram/policies/skynomad"
)

func meanOf(list []reference.Result, of func(r *reference.Result) float64) float64 {
	sum := 0.0
	for i := range list {
		sum += of(&list[i])
	}
	return sum / float64(len(list))
}

// fleet is a job and the zones and starts of a sweep.
type fleet struct {
	Zones     []string `json:"zones"` // their order matters
	TickS     float64  `json:"tick_s"`
	DeadlineH float64  `json:"deadline_h"`
	RestartS  float64  `json:"restart_s"`
	Starts    []int    `json:"starts,omitempty"` // ticks
	Virtual   bool     `json:"virtual_availability,omitempty"`
	NoCap     bool     `json:"no_cap,omitempty"` // of expected lifetimes
}

// setting is one point of a sweep.
type setting struct {
	Name  string  `json:"name"`
	Ratio float64 `json:"ratio"` // deadline over work
	GB    float64 `json:"checkpoint_gb"`
	Zones int     `json:"zones"` // of the fleet, the first ones

	Starts []int `json:"starts,omitempty"` // ticks; none: the fleet's
}

// uniform is Uniform Progress in one zone, whose mean over zones is a baseline.
const uniform = "rc_cr_threshold"

// sweep is a fleet with its traces.
type sweep struct {
	fleet
	zones []*reference.Zone
}

// open finds the traces of a fleet.
func (f *fleet) open() (*sweep, error) {
	zones, err := ZonesNamed(f.Zones...)
	return &sweep{fleet: *f, zones: zones}, err
}

// run replays one job. Its work is computed from hours as the public code does: the last
// bit decides in ticks in which progress lies on the line.
func (s *sweep) run(policy string, x *setting, start int, zones []*reference.Zone) (reference.Result, error) {
	o := reference.Options{Virtual: s.Virtual}
	if s.NoCap {
		o.CapH = math.Inf(1)
	}
	job := reference.Job{Job: plan.Job{TickS: s.TickS, WorkS: s.DeadlineH / x.Ratio * 3600, DeadlineS: s.DeadlineH * 3600,
		RestartS: s.RestartS, CheckpointGB: x.GB}, Start: start}
	r, err := reference.Run(policy, o, job, zones, nil)
	if err != nil {
		return r, fmt.Errorf("%s from tick %d: %w", policy, start, err)
	}
	return r, nil
}

// all replays a job from every start; Uniform Progress in every zone alone.
func (s *sweep) all(policy string, x *setting) ([]reference.Result, error) {
	starts := s.Starts
	if x.Starts != nil {
		starts = x.Starts
	}
	var list []reference.Result
	add := func(zones []*reference.Zone) error {
		for _, start := range starts {
			r, err := s.run(policy, x, start, zones)
			if err != nil {
				return err
			}
			list = append(list, r)
		}
		return nil
	}
	if policy != uniform {
		err := add(s.zones[:x.Zones])
		return list, err
	}
	for v := range s.zones[:x.Zones] {
		if err := add(s.zones[v : v+1]); err != nil {
			return nil, err
		}
	}
	return list, nil
}
