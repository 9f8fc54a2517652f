package sailor

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/marigram/marigram/calibrate/layout"
	"github.com/marigram/marigram/papers"
)

// heldOutInputs are those of heldOut.
type heldOutInputs struct {
	Families []family `yaml:"families"`
	LeftOut  []string `yaml:"left_out"` // files below validation, which are no measurements of their layout
	Fits     []fit    `yaml:"fits"`
}

// fit says how a runtime is fitted: first the time, then the memory.
type fit struct {
	Runtime string   `yaml:"runtime"`
	Step    []string `yaml:"step"`   // parameters
	Memory  []string `yaml:"memory"` // parameters
	// StateOf names a runtime fitted before whose bytes of state by parameter are taken.
	StateOf string `yaml:"state_of"`
}

// residual is one measured layout beside what the fitted runtime says of it.
type residual struct {
	row
	held         bool // not used in the fit
	step, memory float64
	sailorStep   float64
	sailorMemory float64
}

// heldOut fits the runtimes of calibrate/layout to every second measured layout of each family, from the first, in the
// order of their paths, and reports the mean error of the others, per cent.
func heldOut(f *papers.Figure) error {
	var in heldOutInputs
	if err := f.Inputs(&in); err != nil {
		return err
	}
	list, _, err := residuals(&in)
	if err != nil {
		return err
	}
	for i := range in.Families {
		var steps, memories []float64
		for k := range list {
			if r := &list[k]; r.held && r.family.Name == in.Families[i].Name {
				steps, memories = append(steps, off(r.step, r.Step)), append(memories, off(r.memory, r.Memory))
			}
		}
		f.Report(in.Families[i].Name+"-step", stat.Mean(steps, nil))
		f.Report(in.Families[i].Name+"-memory", stat.Mean(memories, nil))
	}
	return nil
}

// residuals fits the runtimes and returns all measured layouts with what they say, and the runtimes.
func residuals(in *heldOutInputs) ([]residual, map[string]layout.Runtime, error) {
	profiles, rows, err := open(in.Families)
	if err != nil {
		return nil, nil, err
	}
	rows = slices.DeleteFunc(rows, func(r row) bool { return slices.Contains(in.LeftOut, r.file) })
	fitted := map[string]layout.Runtime{}
	for _, how := range in.Fits {
		if fitted[how.Runtime], err = how.runtime(profiles, rows, fitted); err != nil {
			return nil, nil, err
		}
	}
	seen := map[string]int{}
	var out []residual
	for _, r := range rows {
		p, err := profiles.Profile(r.family.Network)
		if err != nil {
			return nil, nil, err
		}
		m := layout.Model{Profile: p, Links: profiles.Links, Runtime: fitted[r.family.Runtime]}
		c, err := m.Cost(&r.Layout)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", r.file, err)
		}
		x := residual{row: r, held: seen[r.family.Name]%2 == 1, step: c.Step, memory: c.Memory}
		if x.sailorStep, x.sailorMemory, err = sailors(profiles, &r); err != nil {
			return nil, nil, err
		}
		seen[r.family.Name]++
		out = append(out, x)
	}
	return out, fitted, nil
}

// runtime fits one runtime to the first, third and so on of its measured layouts of each family.
func (how *fit) runtime(profiles *layout.Set, rows []row, before map[string]layout.Runtime) (layout.Runtime, error) {
	var chosen []layout.Measured
	var models []*layout.Model
	seen := map[string]int{}
	for i := range rows {
		r := &rows[i]
		if r.family.Runtime != how.Runtime {
			continue
		}
		if seen[r.family.Name]++; seen[r.family.Name]%2 == 0 {
			continue
		}
		p, err := profiles.Profile(r.family.Network)
		if err != nil {
			return layout.Runtime{}, err
		}
		chosen = append(chosen, r.Measured)
		models = append(models, &layout.Model{Profile: p, Links: profiles.Links})
	}
	of := func(i int) *layout.Model { return models[i] }
	start := layout.Runtime{Name: how.Runtime, Compute: 1.05, Exposed: 1, Sync: 1.2, BaseGB: 1, State: 5, Kept: 1}
	if how.StateOf != "" {
		start.State = before[how.StateOf].State
	}
	if slices.Contains(how.Memory, "tp_gb") {
		start.TPGB = 0.5
	}
	out, err := layout.Fit(start, how.Step, false, chosen, of)
	if err != nil {
		return out, err
	}
	return layout.Fit(out, how.Memory, true, chosen, of)
}
