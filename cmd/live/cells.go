package live

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/market"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/traces"
)

// Cells runs parts of studies, and remembers the rows of an objective under a policy: a setting of one policy
// changes nothing of the others. The zero value is ready; it is for one goroutine.
type Cells struct {
	Sets map[string]*traces.Set // the recorded traces of the spec, by name
	rows map[string][]results.Summary
}

// maxCells bounds what is remembered.
const maxCells = 256

// Run runs every of-th point (start and seed) of a spec from the n-th on.
func (c *Cells) Run(s *spec.Spec, n, of int) (*Part, error) {
	study, err := c.study(s)
	if err != nil {
		return nil, err
	}
	worker := study.Worker()
	defer worker.Close()
	if len(c.rows) >= maxCells || c.rows == nil {
		c.rows = map[string][]results.Summary{}
	}
	out := &Part{Warnings: study.Warnings}
	kept := c.known(study, n, of)
	for k := n; k < study.Points(); k += of { // point by point: the runs of one share a market
		for cell := range kept {
			if !kept[cell].known {
				if err := kept[cell].run(worker, study, cell, k); err != nil {
					return nil, err
				}
			}
		}
	}
	for i := range kept {
		c.rows[kept[i].key] = kept[i].rows
		out.Rows = append(out.Rows, kept[i].rows...)
	}
	return out, nil
}

func (c *Cells) study(s *spec.Spec) (*experiments.Study, error) {
	if len(s.Market.Traces) == 0 {
		return experiments.NewStudy(s)
	}
	m, err := market.Given(s, c.Sets)
	if err != nil {
		return nil, err
	}
	return experiments.NewStudyOn(s, m)
}

// cell is the rows of an objective under a policy.
type cell struct {
	key   string
	rows  []results.Summary
	known bool
}

// known returns the cells of a part, by objective and then policy, with what is remembered.
func (c *Cells) known(study *experiments.Study, n, of int) []cell {
	s := study.Spec
	_, text := s.Source()
	same := fmt.Sprintf("%s\n%s\n%d of %d", text, strings.Join(study.Warnings, "\n"), n, of)
	var out []cell
	for o := range s.Objectives {
		for p := range s.Policies {
			one := *s
			one.Objectives, one.Policies = s.Objectives[o:o+1], s.Policies[p:p+1]
			x := cell{key: fmt.Sprintf("%s\n%d %d\n%s", same, o, p, one.Meaning())}
			x.rows, x.known = c.rows[x.key]
			out = append(out, x)
		}
	}
	return out
}

// run runs the k-th point of a cell.
func (c *cell) run(w *experiments.Worker, study *experiments.Study, number, k int) (err error) {
	s, x := study.Spec, study.At(k)
	x.Run = int64(number*study.Points() + k)
	x.Objective, x.Policy = number/len(s.Policies), number%len(s.Policies)
	defer func() {
		if bad := recover(); bad != nil {
			err = fmt.Errorf("policy %s, seed %d, start %v: %v", s.Policies[x.Policy].Name, x.Seed, x.Start, bad)
		}
	}()
	row, err := w.Run(x)
	c.rows = append(c.rows, row)
	return err
}

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
