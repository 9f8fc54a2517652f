package live

import (
	"fmt"
	"strings"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/market"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
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
