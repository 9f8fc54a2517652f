package live

import (
	"fmt"
	"strings"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
)

// Cells runs parts of studies, and remembers the rows of an objective under a policy: a setting of one policy
// changes nothing of the others. The zero value is ready; it is for one goroutine.
type Cells struct{ rows map[string][]results.Summary }

// maxCells bounds what is remembered.
const maxCells = 256

// Run runs every of-th seed of a spec from the n-th on.
func (c *Cells) Run(s *spec.Spec, n, of int) (*Part, error) {
	study, err := experiments.NewStudy(s)
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
	for k := n; k < s.Seeds; k += of { // seed by seed: the runs of one share a market
		for cell := range kept {
			if !kept[cell].known {
				if err := kept[cell].run(worker, s, cell, k); err != nil {
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

// run runs the k-th seed of a cell.
func (c *cell) run(w *experiments.Worker, s *spec.Spec, number, k int) (err error) {
	o, p := number/len(s.Policies), number%len(s.Policies)
	defer func() {
		if x := recover(); x != nil {
			err = fmt.Errorf("policy %s, seed %d: %v", s.Policies[p].Name, s.Seed+int64(k), x)
		}
	}()
	row, err := w.Run(experiments.Case{Run: int64(number*s.Seeds + k), Objective: o, Policy: p, Seed: s.Seed + int64(k)})
	c.rows = append(c.rows, row)
	return err
}
