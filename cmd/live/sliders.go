package live

import (
	"fmt"
	"math"
	"slices"

	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/policies"
)

// Slider is a value of a spec that can be set: a number between Min and Max, a switch (Value is true or
// false) or one of Names.
type Slider struct {
	Path  string   `json:"path"` // as settings name it
	Group string   `json:"group"`
	Label string   `json:"label"`
	Doc   string   `json:"doc,omitempty"`
	Value any      `json:"value"`
	Min   float64  `json:"min,omitempty"`
	Max   float64  `json:"max,omitempty"`
	Whole bool     `json:"whole,omitempty"` // whole numbers
	Names []string `json:"names,omitempty"`
}

// Sliders returns the sliders of a spec: its objectives, notices and quotas, and the settings of its policies.
func Sliders(s *spec.Spec) []Slider {
	var out []Slider
	for i, o := range s.Objectives {
		at := fmt.Sprintf("objectives.%d.", i)
		out = append(out, Slider{Path: at + "time_s", Group: o.Name, Label: "deadline, s", Value: o.TimeS,
			Min: math.Round(o.TimeS / 4), Max: 3 * o.TimeS, Whole: true})
		if o.Loss > 0 {
			out = append(out, Slider{Path: at + "loss", Group: o.Name, Label: "loss", Value: o.Loss, Min: 0.8 * o.Loss, Max: 2 * o.Loss})
		}
	}
	if r := s.Market.Replay; r.NoticeS != nil {
		out = append(out, Slider{Path: "market.replay.notice_s", Group: "market", Label: "notice before a preemption, s", Value: *r.NoticeS,
			Max: max(600, 2**r.NoticeS), Whole: true})
	}
	for i, p := range s.Market.Pools {
		if p.Quota == nil {
			continue
		}
		quota, name := float64(*p.Quota), p.Type
		if p.Zone != "" {
			name += " in " + p.Zone
		}
		out = append(out, Slider{Path: fmt.Sprintf("market.pools.%d.quota", i), Group: "market", Label: name + ", quota on spot", Value: quota,
			Min: 0, Max: max(4*quota, 4), Whole: true})
	}
	for _, p := range s.Policies {
		if policy, err := p.New(); err == nil {
			out = addSliders(out, p.Name, policies.Settings(policy))
		}
	}
	return out
}

// addSliders adds the settings of a policy; one that several have is theirs together, as settings of a spec are.
func addSliders(out []Slider, policy string, settings []policies.Setting) []Slider {
	for _, x := range settings {
		path := "policy." + x.Name
		if i := slices.IndexFunc(out, func(o Slider) bool { return o.Path == path }); i >= 0 {
			out[i].Group += ", " + policy
			continue
		}
		s := Slider{Path: path, Group: policy, Label: x.Name, Doc: x.Doc, Value: x.Value, Names: x.Names}
		if v, number := x.Value.(float64); number { // only numbers have bounds
			s.Min, s.Max = x.Min, x.Max
			s.Whole = v == math.Trunc(v) && x.Max > 10
			s.Max = min(s.Max, max(10*v, x.Min+(x.Max-x.Min)/100, 10))
		}
		out = append(out, s)
	}
	return out
}
