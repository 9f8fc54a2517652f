package ps

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/marigram/marigram/internal/csvtext"
)

// Coefficients are the fitted constants of spotDNN's model for one network.
type Coefficients struct {
	ParameterMB float64 // S, size of the parameters, MB
	WorkerMBps  float64 // B_req, what one worker asks of the PS, MB/s
	ServerMBps  float64 // B_ps, what the PS has, MB/s
	PCIeMBps    float64 // B_pcie, inside a worker, MB/s

	Alpha1, Beta1 float64 // contention: slope on sqrt(n), intercept (Eq. 9)

	Gamma1 float64 // normalised iterations (Eq. 3)
	Gamma2 float64 // loss * iterations / sample, negative
	Gamma3 float64 // loss * iterations
	Gamma4 float64 // added to R; NaN where the source has none (the artifact)
	Gamma5 float64 // loss, the floor that training approaches

	// BeginLoss is the loss at which training begins on any cluster, above Gamma5; 0
	// begins where Eq. 3 does, at another loss on each cluster (DEVIATIONS.md 2).
	BeginLoss float64
}

// OpenCoefficients reads a coefficient file; see ReadCoefficients.
func OpenCoefficients(path string) (Coefficients, error) {
	return csvtext.Open(path, ReadCoefficients)
}

// ReadCoefficients reads a CSV table with the columns symbol and value (others,
// such as unit and meaning, are for people) and the symbols S, B_req, B_ps,
// B_pcie, alpha1, beta1, gamma1, gamma2, gamma3, gamma5 and, for the paper's
// form, gamma4. name is for its errors.
func ReadCoefficients(name string, r io.Reader) (Coefficients, error) {
	coefficients := Coefficients{Gamma4: math.NaN()}
	table, err := csvtext.Read(name, r, "symbol", "value")
	if err != nil {
		return coefficients, err
	}
	fields := coefficients.fields()
	seen := map[string]bool{}
	for i := range table.Rows {
		symbol := table.Text(i, "symbol")
		field, known := fields[symbol]
		if !known {
			return coefficients, table.Errorf(i, "symbol", "%q is not known", symbol)
		}
		if seen[symbol] {
			return coefficients, table.Errorf(i, "symbol", "%q is given twice", symbol)
		}
		seen[symbol] = true
		if *field.at, err = table.Number(i, "value", field.min, 1e12); err != nil {
			return coefficients, err
		}
	}
	for _, symbol := range required {
		if !seen[symbol] {
			return coefficients, fmt.Errorf("%s: no row for %s", name, symbol)
		}
	}
	return coefficients, nil
}

var required = []string{"S", "B_req", "B_ps", "B_pcie", "alpha1", "beta1", "gamma1", "gamma2", "gamma3", "gamma5"}

type field struct {
	at  *float64
	min float64
}

func (c *Coefficients) fields() map[string]field {
	const some, any = 1e-9, -1e12
	return map[string]field{
		"S": {&c.ParameterMB, some}, "B_req": {&c.WorkerMBps, some}, "B_ps": {&c.ServerMBps, some},
		"B_pcie": {&c.PCIeMBps, some},
		"alpha1": {&c.Alpha1, any}, "beta1": {&c.Beta1, any},
		"gamma1": {&c.Gamma1, some}, "gamma2": {&c.Gamma2, any}, "gamma3": {&c.Gamma3, some},
		"gamma4": {&c.Gamma4, any}, "gamma5": {&c.Gamma5, any},
	}
}

func (c *Coefficients) check(form Form) error {
	if form == FormPaper && !(c.Gamma4 >= 0) {
		return fmt.Errorf("the paper's loss form needs gamma4, at least 0: it is %v (the artifact's coefficients "+
			"have none: use the artifact's form)", c.Gamma4)
	}
	return nil
}

// Form says which of spotDNN's published forms a model computes. The paper's
// equations, the numbers in its figures and its public artifact differ, by how
// much DEVIATIONS.md says.
type Form uint8

const (
	// FormArtifact leaves the factor sqrt(R + gamma4) out of the loss (Eq. 3),
	// takes the PCIe term off the communication that is part of the profile
	// and does not add it again (Eq. 7), and rounds in estimates: the weighted
	// batch to 1 decimal (and takes the iteration time from it), iterations to
	// whole ones, time to 10 ms.
	FormArtifact Form = iota
	// FormPaper is what the equations of the paper say.
	FormPaper
	// FormFigures is what the numbers in the paper's tables and figures were
	// computed with: the communication of the paper, the loss of the artifact.
	FormFigures
)

// Forms are the names of the forms, in their order.
var Forms = []string{"artifact", "paper", "figures"}

// ParseForm reads the name of a form.
func ParseForm(s string) (Form, error) {
	if i := slices.Index(Forms, s); i >= 0 {
		return Form(i), nil
	}
	return 0, fmt.Errorf("loss form %q, expected artifact, paper or figures", s)
}
