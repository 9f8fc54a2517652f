package spotdnn

import (
	"fmt"
	"math"
	"slices"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/calibrate/ps"
	"github.com/marigram/marigram/papers"
)

// scalingRun is a row of Fig. 5.
type scalingRun struct {
	Model   string  `col:"model"`
	Workers float64 `col:"workers"`
	GPUs    float64 `col:"gpus_per_worker"`
	Series  string  `col:"series"`
	Seconds float64 `col:"training_time_s"`
}

func scalingRuns(model, series string) []scalingRun {
	var out []scalingRun
	for _, r := range facts.Read[scalingRun]("spotdnn_fig5") {
		if r.Model == model && r.Series == series {
			out = append(out, r)
		}
	}
	return out
}

// served returns the coefficients of Table IV for a model, beside the public
// parameter server.
func served(model string) (ps.Coefficients, error) {
	type row struct {
		Model string  `col:"model"`
		S     float64 `col:"parameter_size_mb"`
		Asks  float64 `col:"required_bandwidth_mb_s"`
	}
	_, public, err := ps.Published("spotdnn-resnet110")
	for _, r := range facts.ReadFrom[row](files, "table4") {
		if r.Model == model {
			return ps.Coefficients{ParameterMB: r.S, WorkerMBps: r.Asks, ServerMBps: public.ServerMBps,
				PCIeMBps: public.PCIeMBps}, err
		}
	}
	return public, fmt.Errorf("no model %q in Table IV", model)
}

// scaling reports the times of Fig. 5 that fits to the other times predict,
// and the mean of their errors.
func scaling(f *papers.Figure) error {
	var in struct {
		ByGPUs    string   `json:"by_gpus"`    // the model of Fig. 5(a)
		ByWorkers []string `json:"by_workers"` // those of Fig. 5(b)
		GPUs      []int    `json:"gpus"`       // in a worker of Fig. 5(b): what the fit chooses from
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	seconds, err := scaledByGPUs(in.ByGPUs)
	if err != nil {
		return err
	}
	sum := 0.0
	report := func(model string, observed scalingRun, seconds float64) {
		f.Report(fmt.Sprintf("%s-%v", model, observed.size()), seconds)
		sum += math.Abs(seconds/observed.Seconds - 1)
	}
	report(in.ByGPUs, last(scalingRuns(in.ByGPUs, "observed")), seconds)
	for held := range in.ByWorkers {
		if seconds, err = scaledByWorkers(in.ByWorkers, held, in.GPUs); err != nil {
			return err
		}
		report(in.ByWorkers[held], last(scalingRuns(in.ByWorkers[held], "observed")), seconds)
	}
	f.Report("mean-error", 100*sum/float64(1+len(in.ByWorkers)))
	return nil
}

func last(runs []scalingRun) scalingRun { return runs[len(runs)-1] }

// size returns the number that varies in the figure.
func (r *scalingRun) size() int {
	if math.IsNaN(r.Workers) {
		return int(r.GPUs)
	}
	return int(r.Workers)
}

// scaledByGPUs fits all runs but that with the most GPUs in a worker and predicts
// that one. The figure does not say the number of workers: it is the same.
func scaledByGPUs(model string) (float64, error) {
	coef, err := served(model)
	if err != nil {
		return 0, err
	}
	var runs []gang
	for _, r := range scalingRuns(model, "observed") {
		runs = append(runs, gang{Workers: 1, GPUs: int(r.GPUs), Seconds: r.Seconds})
	}
	largest := len(runs) - 1
	s, _, err := fitScaling(coef, runs[:largest])
	return s.Seconds(1, runs[largest].GPUs), err
}

// scaledByWorkers fits all runs of the models but the largest of model held, and
// predicts that one. The models share the kind of server and thus its contention;
// CM-DARE's time, ideal speeds added up, is the work of each. Of the numbers of
// GPUs in a worker, those are taken with which the fit is best.
func scaledByWorkers(models []string, held int, gpus []int) (float64, error) {
	best, seconds := math.Inf(1), 0.0
	for _, g := range choices(gpus, len(models)) {
		workloads, runs := make([]scalingLaw, len(models)), make([][]gang, len(models))
		for i, model := range models {
			coef, err := served(model)
			if err != nil {
				return 0, err
			}
			ideal := scalingRuns(model, "cm-dare")[0]
			workloads[i] = scalingLaw{Coefficients: coef, Work: ideal.Seconds * ideal.Workers * float64(g[i])}
			for _, r := range scalingRuns(model, "observed") {
				runs[i] = append(runs[i], gang{Workers: int(r.Workers), GPUs: g[i], Seconds: r.Seconds})
			}
		}
		out := runs[held][len(runs[held])-1]
		runs[held] = runs[held][:len(runs[held])-1]
		fitted, squares, err := fitContentionByScaling(workloads, runs)
		if err != nil {
			return 0, err
		}
		if squares < best {
			best, seconds = squares, fitted[held].Seconds(out.Workers, out.GPUs)
		}
	}
	return seconds, nil
}

// choices returns all ways to choose n of the numbers, with repetition.
func choices(of []int, n int) [][]int {
	out := [][]int{nil}
	for range n {
		var longer [][]int
		for _, head := range out {
			for _, x := range of {
				longer = append(longer, append(slices.Clone(head), x))
			}
		}
		out = longer
	}
	return out
}
