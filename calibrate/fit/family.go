package fit

import (
	"errors"
	"fmt"
	"slices"

	"github.com/marigram/marigram/internal/registry"
)

// Family is a form of model that a profile of measured runs can be fitted to.
// Columns are those of MeasuredColumns.
type Family struct {
	Name    string
	Formula string   // with the names of Parameters
	Source  string   // paper and equation
	Target  string   // column that it predicts
	Inputs  []string // numeric columns that it predicts it from
	// Same are the columns that have one value in all rows of a fit: the model
	// is good for these only.
	Same       []string
	Parameters []Parameter
	// Repeated follow Parameters as often as a fit needs them, numbered from 1:
	// the support vectors of a regression.
	Repeated []Parameter

	// Relative is set where an error counts as a share of what was measured, as
	// the spread of a time does, so that small batches weigh as much as large ones.
	Relative bool

	// Estimate, if there is one, goes with all predictions as a warning.
	Estimate string
	// Knows returns an error for a row whose network or GPU the family has no
	// facts of; nil if it needs none.
	Knows func(m *Measurement) error
	// Fit returns the values of the parameters. The rows have all cells of
	// Target and Inputs, and there are at least as many as Parameters.
	Fit func(rows []Measurement) ([]float64, error)
	// Predict returns the target of a row with all cells of Inputs.
	Predict func(parameters []float64, m *Measurement) float64
}

// Parameter is what a fit determines.
type Parameter struct {
	Name string `json:"name"`
	Unit string `json:"unit"`
	Doc  string `json:"doc"`
}

var families = registry.New[Family]("family")

// Register adds a family: commands list and fit it, and specs and commands read its
// model files. Call it in an init function; any module may. It panics where the name
// is taken, the family is not complete, or a column is not one of MeasuredColumns.
func Register(f Family) {
	if err := f.complete(); err != nil {
		panic("fit: family " + f.Name + ": " + err.Error())
	}
	families.Add(f.Name, f)
}

// complete returns what a family lacks, or names that is no column.
func (f *Family) complete() error {
	if f.Name == "" || f.Formula == "" || f.Source == "" || len(f.Parameters) == 0 || f.Fit == nil || f.Predict == nil {
		return errors.New("expected Name, Formula, Source, Parameters, Fit and Predict")
	}
	for _, name := range slices.Concat(f.needs(), f.Same) {
		c, known := column(name)
		if !known {
			return fmt.Errorf("no column %q", name)
		}
		if name == f.Target && !c.numeric() || slices.Contains(f.Inputs, name) && !c.numeric() {
			return fmt.Errorf("column %q has no numbers", name)
		}
	}
	return nil
}

// Families returns the registered families in the order of their names.
func Families() []Family { return families.All() }

// FamilyNamed returns a registered family; the error names the nearest, or all.
func FamilyNamed(name string) (Family, error) { return families.Named(name) }

// parameters returns those of a fit with n values; false if none has n.
func (f *Family) parameters(n int) ([]Parameter, bool) {
	out := slices.Clone(f.Parameters)
	for i := 1; len(out) < n && f.Repeated != nil; i++ {
		for _, parameter := range f.Repeated {
			parameter.Name = fmt.Sprintf("%s-%d", parameter.Name, i)
			out = append(out, parameter)
		}
	}
	return out, len(out) == n
}

// needs returns the columns that a row of a fit must have.
func (f *Family) needs() []string { return append([]string{f.Target}, f.Inputs...) }

// Usable returns the rows that have the target and the inputs of the family. It is
// an error if there are none, or one is of a network or GPU that it has no facts of.
func (f *Family) Usable(rows []Measurement) ([]Measurement, error) {
	for _, name := range f.needs() {
		needed, _ := column(name)
		rows = slices.DeleteFunc(slices.Clone(rows), func(m Measurement) bool { return !m.has(needed) })
		if len(rows) == 0 {
			return nil, fmt.Errorf("%s needs %s, which is empty in all rows", f.Name, name)
		}
	}
	for i := 0; f.Knows != nil && i < len(rows); i++ {
		if err := f.Knows(&rows[i]); err != nil {
			return nil, fmt.Errorf("line %d: %s: %w", rows[i].Line, f.Name, err)
		}
	}
	return rows, nil
}
