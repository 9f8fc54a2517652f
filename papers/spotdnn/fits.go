package spotdnn

import (
	"embed"
	"math"
	"slices"
	"strconv"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/calibrate/ps"
	"github.com/marigram/marigram/papers"
	"github.com/marigram/marigram/sim"
)

// lossCurve is a part of Fig. 6 that the coefficients of a network are fitted to.
type lossCurve struct {
	Model   string    `json:"model"`
	Fitted  []float64 `json:"fitted"`  // the losses that the fit sees
	HeldOut []float64 `json:"heldout"` // those that it predicts
}

// iterations fits Eq. 3 to the fitted losses of a series of the figure, and
// returns what it says of others.
func (c *lossCurve) iterations(series string, losses []float64) ([]float64, error) {
	type row struct {
		Model      string  `col:"model"`
		Series     string  `col:"series"`
		Loss       float64 `col:"objective_loss"`
		Iterations float64 `col:"normalized_iterations"`
	}
	var points []ps.LossPoint
	for _, r := range facts.ReadFrom[row](files, "fig6") {
		if r.Model == c.Model && r.Series == series && slices.Contains(c.Fitted, r.Loss) {
			points = append(points, ps.LossPoint{Workers: 1, Batch: 1, Iterations: r.Iterations, Loss: r.Loss})
		}
	}
	coef, _, err := ps.FitLoss(ps.Coefficients{}, ps.FormFigures, points)
	var out []float64
	for _, loss := range losses {
		out = append(out, coef.Gamma3/(loss-coef.Gamma5)-coef.Gamma1)
	}
	return out, err
}

// report reports the paper's own curve at all losses, and the observed one at
// those that are held out.
func (c *lossCurve) report(f *papers.Figure) error {
	all := slices.Concat(c.Fitted, c.HeldOut)
	own, err := c.iterations("spotdnn", all)
	if err != nil {
		return err
	}
	for i, loss := range all {
		f.Report(c.Model+"-"+decimal(loss), own[i])
	}
	observed, err := c.iterations("observed", c.HeldOut)
	for i, loss := range c.HeldOut {
		f.Report(c.Model+"-observed-"+decimal(loss), observed[i])
	}
	return err
}

func decimal(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// mixedRow is a row of Table VI with its time of Fig. 8.
type mixedRow struct {
	Model    string  `col:"model"`
	Loss     float64 `col:"objective_loss"`
	Strategy string  `col:"strategy"`
	P3       int     `col:"p3.2xlarge"`
	G4dn     int     `col:"g4dn.4xlarge"`
	G3x8     int     `col:"g3.8xlarge"`
	G3x16    int     `col:"g3.16xlarge"`
	Seconds  float64 `col:"training_time_s"`
}

func (r *mixedRow) counts() []int { return []int{r.P3, r.G4dn, r.G3x8, r.G3x16} }

func (r *mixedRow) name() string {
	return r.Model + "-" + decimal(r.Loss)
}

// mixed reports the times of spotDNN's mixed clusters of Fig. 8 from those
// of the homogeneous clusters of the same size: rates add up (Eq. 2).
func mixed(f *papers.Figure) error {
	rows := facts.ReadFrom[mixedRow](files, "table6")
	for _, r := range rows {
		if r.Strategy != "spotdnn" {
			continue
		}
		alone := secondsAlone(rows, r.Model, r.Loss)
		rate := 0.0
		workers := 0
		for i, k := range r.counts() {
			rate += float64(k) / alone[i]
			workers += k
		}
		f.Report(r.name(), float64(workers)/rate)
	}
	return nil
}

// secondsAlone returns by instance type what a homogeneous cluster takes.
func secondsAlone(rows []mixedRow, model string, loss float64) []float64 {
	out := slices.Repeat([]float64{math.Inf(1)}, 4)
	for _, r := range rows {
		if r.Model != model || r.Loss != loss || r.Strategy == "spotdnn" {
			continue
		}
		for i, k := range r.counts() {
			if k > 0 {
				out[i] = r.Seconds
			}
		}
	}
	return out
}

// convergence reports the convergence coefficients of Table VI. The shares
// of the speed are those of batch over time: as many samples as GPUs, and the
// times of the homogeneous clusters at one loss.
func convergence(f *papers.Figure) error {
	var in struct {
		GPUs []float64          `json:"gpus"` // by type, in the order of the table
		Loss map[string]float64 `json:"loss"` // by model, at which the times are taken
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	rows := facts.ReadFrom[mixedRow](files, "table6")
	for _, r := range rows {
		alone := secondsAlone(rows, r.Model, in.Loss[r.Model])
		var t sim.Tally
		for i, k := range r.counts() {
			if k > 0 {
				t.Add(k, sim.Worker{Rate: 1, Speed: in.GPUs[i] / alone[i]})
			}
		}
		f.Report(r.name()+"-"+r.Strategy, ps.Convergence(&t))
	}
	return nil
}

//go:embed *.csv *.yaml
var files embed.FS
