// Package sailor computes the claims on Sailor (SOSP 2025): its simulator and its planner on its own measured layouts,
// and the errors of calibrate/layout on the half of them that nothing was fitted to.
package sailor

import (
	"context"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/marigram/marigram/calibrate/layout"
	"github.com/marigram/marigram/internal/store"
	"github.com/marigram/marigram/papers"
	"github.com/marigram/marigram/papers/sailor/reference"
)

// set is the data set with profiles and measured layouts.
const set = "sailor"

// validation is the folder of measured layouts in it.
const validation = "sailor/Planner/simulations/validation"

// family is a folder of measured layouts.
type family struct {
	Name    string `yaml:"name"`    // of claims
	Folder  string `yaml:"folder"`  // below validation
	Network string `yaml:"network"` // as profiles name it
	Runtime string `yaml:"runtime"` // of calibrate/layout
}

// row is a measured layout.
type row struct {
	layout.Measured
	family *family
	plan   string // name without plan_config_
	file   string // below validation
}

// open reads the profiles and the measured layouts of families, in the order of their paths.
func open(families []family) (*layout.Set, []row, error) {
	root, err := papers.PulledFile(set, "")
	if err != nil {
		return nil, nil, err
	}
	profiles, err := layout.Open(root)
	if err != nil {
		return nil, nil, err
	}
	var rows []row
	for i := range families {
		f := &families[i]
		base := path.Join(root, validation)
		names, err := listed(base, f.Folder)
		if err != nil {
			return nil, nil, err
		}
		for _, name := range names {
			in, err := store.OpenInput(path.Join(base, name))
			if err != nil {
				return nil, nil, err
			}
			m, err := readMeasured(name, in)
			in.Close()
			if err != nil {
				return nil, nil, err
			}
			plan := strings.TrimSuffix(strings.TrimPrefix(path.Base(name), "plan_config_"), ".json")
			rows = append(rows, row{m, f, plan, name})
		}
	}
	return profiles, rows, nil
}

// listed returns the files of measured layouts of a folder of families, sorted by path.
func listed(base, folder string) ([]string, error) {
	var out []string
	sizes, err := store.List(context.Background(), path.Join(base, folder))
	if err != nil {
		return nil, err
	}
	for _, size := range sizes {
		plans, err := store.List(context.Background(), path.Join(base, folder, size))
		if err != nil {
			return nil, err
		}
		for _, p := range plans {
			out = append(out, path.Join(folder, size, p))
		}
	}
	slices.Sort(out)
	return out, nil
}

// simulator reports the time of a step and the memory of Sailor's rules for the layouts that the spec names.
func simulator(f *papers.Figure) error {
	var in struct {
		Families []family `yaml:"families"`
		Plans    []string `yaml:"plans"` // family/plan
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	profiles, rows, err := open(in.Families)
	if err != nil {
		return err
	}
	for i := range rows {
		r := &rows[i]
		item := r.family.Name + "-" + r.plan
		if !slices.Contains(in.Plans, item) {
			continue
		}
		step, memory, err := sailors(profiles, r)
		if err != nil {
			return err
		}
		f.Report(item+"-step", step)
		f.Report(item+"-memory", memory/1e9)
	}
	return nil
}

// sailors returns what Sailor's rules say of a layout.
func sailors(profiles *layout.Set, r *row) (step, memory float64, err error) {
	p, err := profiles.Profile(r.family.Network)
	if err != nil {
		return 0, 0, err
	}
	s := reference.Simulator{Profile: p, Links: profiles.Links}
	if step, err = s.Step(&r.Layout); err != nil {
		return 0, 0, fmt.Errorf("%s: %w", r.file, err)
	}
	memory, err = s.Memory(&r.Layout)
	return step, memory, err
}

// planned is a plan of Sailor's planner.
type planned struct {
	Item    string `yaml:"item"`
	Network string `yaml:"network"`
	Micro   int    `yaml:"micro_batch"`
	Batch   int    `yaml:"batch"`
	Cluster []struct {
		GPU   string `yaml:"gpu"`
		Zone  string `yaml:"zone"`
		Node  int    `yaml:"node"`
		Nodes int    `yaml:"nodes"`
	} `yaml:"cluster"`
	Stages []struct {
		Layers   int `yaml:"layers"`
		Replicas []struct {
			layout.Place `yaml:",inline"`
			Count        int `yaml:"count"`
		} `yaml:"replicas"`
	} `yaml:"stages"`
}

// layout returns the plan.
func (p *planned) layout() *layout.Layout {
	out := &layout.Layout{Micro: p.Micro, Batch: p.Batch}
	next := 0
	for _, s := range p.Stages {
		var stage layout.Stage
		for range s.Layers {
			stage.Layers = append(stage.Layers, next)
			next++
		}
		for _, r := range s.Replicas {
			stage.Replicas = append(stage.Replicas, slices.Repeat([]layout.Place{r.Place}, r.Count)...)
		}
		out.Stages = append(out.Stages, stage)
	}
	return out
}

// planner reports the time of a step of the plans that Sailor's planner finds.
func planner(f *papers.Figure) error {
	var in struct {
		Plans []planned `yaml:"plans"`
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	profiles, _, err := open(nil)
	if err != nil {
		return err
	}
	for i := range in.Plans {
		p, err := profiles.Profile(in.Plans[i].Network)
		if err != nil {
			return err
		}
		s := reference.Simulator{Profile: p, Links: profiles.Links}
		step, err := s.Step(in.Plans[i].layout())
		if err != nil {
			return err
		}
		f.Report(in.Plans[i].Item+"-step", step)
		runtime, err := layout.RuntimeNamed(layout.DefaultRuntime)
		if err != nil {
			return err
		}
		m := layout.Model{Profile: p, Links: profiles.Links, Runtime: runtime}
		found, err := m.Best(in.Plans[i].pools(), in.Plans[i].Batch, layout.Want{})
		if err != nil {
			return err
		}
		if step, err = s.Step(&found.Layout); err != nil {
			return err
		}
		f.Report(in.Plans[i].Item+"-own", step)
		note, err := in.Plans[i].flips(&m, &s)
		if err != nil {
			return err
		}
		f.Note(in.Plans[i].Item+"-own", note)
	}
	return nil
}

// pools returns the cluster of a plan.
func (p *planned) pools() []layout.Pool {
	var pools []layout.Pool
	for _, c := range p.Cluster {
		pools = append(pools, layout.Pool{GPU: c.GPU, Zone: c.Zone, Node: c.Node, Nodes: c.Nodes})
	}
	return pools
}

// flips says what the best layouts of the plan's cluster take by the model m, for all factors of transfers of the
// runtimes that there are, and by Sailor's rules; and what the plan itself takes.
func (p *planned) flips(m *layout.Model, s *reference.Simulator) (string, error) {
	low, high := layout.ExposedRange()
	chosen, err := m.BestByExposed(p.pools(), p.Batch, layout.Want{}, low, high)
	if err != nil {
		return "", err
	}
	var parts []string
	for _, c := range chosen {
		sailor, err := s.Step(&c.Layout)
		if err != nil {
			return "", err
		}
		parts = append(parts, fmt.Sprintf("exposed %.2f to %.2f: %.3f s at %.2f and %.3f s at %.2f by our model, %.3f s by Sailor's rules", c.From, c.To,
			c.AtFrom.Step, low, c.AtTo.Step, high, sailor))
	}
	plan := p.layout()
	theirs := *m
	theirs.Runtime.Exposed = low
	atLow, err := theirs.Cost(plan)
	if err != nil {
		return "", err
	}
	theirs.Runtime.Exposed = high
	atHigh, err := theirs.Cost(plan)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s; Sailor's plan by our model: %.3f and %.3f s", strings.Join(parts, "; "), atLow.Step, atHigh.Step), nil
}

// errorsOfSimulator reports the mean error of Sailor's rules against what was measured, per cent, by family.
func errorsOfSimulator(f *papers.Figure) error {
	var in struct {
		Families []family `yaml:"families"`
		LeftOut  []string `yaml:"left_out"` // files below validation
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	profiles, rows, err := open(in.Families)
	if err != nil {
		return err
	}
	for i := range in.Families {
		var steps, memories []float64
		for k := range rows {
			r := &rows[k]
			if r.family != &in.Families[i] || slices.Contains(in.LeftOut, r.file) {
				continue
			}
			step, memory, err := sailors(profiles, r)
			if err != nil {
				return err
			}
			steps, memories = append(steps, off(step, r.Step)), append(memories, off(memory, r.Memory))
		}
		f.Report(in.Families[i].Name+"-step", stat.Mean(steps, nil))
		f.Report(in.Families[i].Name+"-memory", stat.Mean(memories, nil))
	}
	return nil
}

// off returns |x/measured - 1| in per cent.
func off(x, measured float64) float64 { return 100 * math.Abs(x/measured-1) }
