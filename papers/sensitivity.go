package papers

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path"
	"slices"
	"strconv"

	"github.com/marigram/marigram/calibrate/facts"
)

// Noticed says how many claims of a figure notice that one of its parameters is another.
type Noticed struct {
	Figure    string `json:"figure"`
	Parameter string `json:"parameter"` // a number of the figure's inputs, or table.column: all numbers of a column of facts
	From      string `json:"from"`      // what it is; empty for a column
	To        string `json:"to"`        // what it was made
	Claims    int    `json:"claims"`    // of the figure that are no open ones and depend on no clock
	Verdicts  int    `json:"verdicts"`  // claims whose verdict is another, or that have no number any more
	Values    int    `json:"values"`    // claims whose number is another
}

// Perturbation is by how much a parameter is made larger.
const Perturbation = 0.1

// Sensitivity makes each parameter of the figures 10 % larger, one at a time (a whole
// number: the next whole number above), and counts what the claims notice.
// Numbers of specs are parameters one by one, tables of facts and published profiles by
// column, coefficients by symbol. Figures that need a
// trace that is not pulled are passed over.
func Sensitivity(ctx context.Context, list []Claim, before func(figure string)) ([]Noticed, error) {
	var out []Noticed
	for _, figure := range Figures(list) {
		if before != nil {
			before(figure)
		}
		s, err := OpenSpec(figure)
		if err != nil {
			return nil, err
		}
		p := perturbed{ctx: ctx, spec: s}
		for _, c := range list {
			if c.Figure() == figure && c.Open == "" && !c.Timed() {
				p.claims = append(p.claims, c)
			}
		}
		rows, err := p.all()
		if err != nil {
			return nil, err
		}
		out = append(out, rows...)
	}
	return out, ctx.Err()
}

// perturbed is a figure whose parameters are changed.
type perturbed struct {
	ctx    context.Context
	spec   *Spec
	claims []Claim
	base   map[string]float64
}

func (p *perturbed) all() ([]Noticed, error) {
	var err error
	columns := facts.Watch(facts.Column{}, 1, func() { p.base, err = p.run(p.spec) })
	if err != nil {
		return nil, nil // a trace is not pulled
	}
	parameters, err := p.spec.Parameters()
	if err != nil {
		return nil, err
	}
	var out []Noticed
	for i, parameter := range parameters {
		n, err := p.parameter(i, parameter)
		if err != nil {
			return nil, err
		}
		out = append(out, n)
		if p.ctx.Err() != nil {
			return nil, p.ctx.Err()
		}
	}
	for _, c := range columns {
		var values map[string]float64
		facts.Watch(c, 1+Perturbation, func() { values, _ = p.run(p.spec) })
		out = append(out, p.compare(c.Table+"."+c.Name, "", "x "+strconv.FormatFloat(1+Perturbation, 'g', -1, 64), values))
		if p.ctx.Err() != nil {
			return nil, p.ctx.Err()
		}
	}
	return out, nil
}

// parameter changes one number of the inputs.
func (p *perturbed) parameter(i int, parameter Parameter) (Noticed, error) {
	x := parameter.Value * (1 + Perturbation)
	if parameter.Whole {
		x = math.Ceil(math.Round(x*1e6) / 1e6)
	}
	changed, err := p.spec.With(i, x)
	if err != nil {
		return Noticed{}, err
	}
	values, _ := p.run(changed) // without a number, every verdict is another
	from, to := strconv.FormatFloat(parameter.Value, 'g', 6, 64), strconv.FormatFloat(x, 'g', 6, 64)
	return p.compare(parameter.Path, from, to, values), nil
}

// run reproduces the figure; a panic, which inputs that cannot be may bring about, is an
// error.
func (p *perturbed) run(s *Spec) (values map[string]float64, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s: %v", s.Name, r)
		}
	}()
	f, err := reproduceSpec(p.ctx, s)
	return f.values, err
}

// compare counts the claims that notice other values.
func (p *perturbed) compare(parameter, from, to string, values map[string]float64) Noticed {
	n := Noticed{Figure: p.spec.Name, Parameter: parameter, From: from, To: to, Claims: len(p.claims)}
	number := func(values map[string]float64, c *Claim) float64 {
		if x, has := values[path.Base(c.Name)]; has {
			return x
		}
		return math.NaN()
	}
	for _, c := range p.claims {
		was, is := number(p.base, &c), number(values, &c)
		if judge(c, was, nil).Verdict != judge(c, is, nil).Verdict {
			n.Verdicts++
		}
		if was != is {
			n.Values++
		}
	}
	return n
}

// SensitivityColumns are the columns of the committed tables, papers/SYSTEM/sensitivity.csv.
var SensitivityColumns = []string{"figure", "parameter", "from", "to", "claims", "verdicts", "values"}

// Row is the record of a table with SensitivityColumns.
func (n *Noticed) Row() []string {
	return []string{n.Figure, n.Parameter, n.From, n.To, strconv.Itoa(n.Claims), strconv.Itoa(n.Verdicts), strconv.Itoa(n.Values)}
}

// Unnoticed returns the parameters of a figure of which, by the committed table, no claim
// notices that they are 10 % larger: neither its verdict nor its number is another.
func Unnoticed(figure string) (list []string) {
	p, ok := paperOf(figure)
	if !ok {
		return nil
	}
	data, err := fs.ReadFile(p.Files, "sensitivity.csv")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil || len(rows) == 0 || !slices.Equal(rows[0], SensitivityColumns) {
		panic(fmt.Sprintf("papers: %s/sensitivity.csv: %v", p.Name, err))
	}
	for _, r := range rows[1:] {
		if r[0] == figure && r[5] == "0" && r[6] == "0" {
			list = append(list, r[1])
		}
	}
	return list
}
