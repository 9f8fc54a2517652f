package calibrate

import (
	"fmt"
	"slices"
	"strings"
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

// Families returns the families in the order of their names.
func Families() []Family {
	return []Family{batchMemory, checkpointTime, dataParallel, lossEven, lossMixed, memoryLinear, psBandwidth, psCapacity, psContention, psDistance,
		rollBack, roofline, stallLayers, startUp, flopsLinear, flopsQuadratic, flopsPolynomial, flopsRadial, stepTimeLinear, stepTimeQuadratic}
}

// parameters returns those of a fit with n values; false if none has so many.
func (f *Family) parameters(n int) ([]Parameter, bool) {
	out := slices.Clone(f.Parameters)
	for i := 1; len(out) < n && f.Repeated != nil; i++ {
		for _, p := range f.Repeated {
			p.Name = fmt.Sprintf("%s-%d", p.Name, i)
			out = append(out, p)
		}
	}
	return out, len(out) == n
}

// FamilyNamed returns a family; the error lists those that there are.
func FamilyNamed(name string) (Family, error) {
	var names []string
	for _, f := range Families() {
		if f.Name == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return Family{}, fmt.Errorf("no family %q; there are %s", name, strings.Join(names, ", "))
}
