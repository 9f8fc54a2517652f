package dollars

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/marigram/marigram/calibrate/transformer"
	"github.com/marigram/marigram/papers"
)

// missed is a row and the logarithm of its utilisation over the predicted one.
type missed struct {
	*row
	ln float64
}

// leaveOut predicts the rows of each group from a law fitted to all others, without what their source differs by.
func leaveOut(rows []row, stack bool, group func(*row) string) (out []missed) {
	var groups []string
	for i := range rows {
		if name := group(&rows[i]); !slices.Contains(groups, name) {
			groups = append(groups, name)
		}
	}
	for _, name := range groups {
		var rest []row
		for i := range rows {
			if group(&rows[i]) != name {
				rest = append(rest, rows[i])
			}
		}
		fitted := fit(rest, stack)
		for i := range rows {
			if r := &rows[i]; group(r) == name {
				out = append(out, missed{r, r.ln - fitted.predict(r)})
			}
		}
	}
	return out
}

// weights gives every source the same weight.
func weights(rows []missed) []float64 {
	count := map[string]float64{}
	for i := range rows {
		count[rows[i].Source]++
	}
	out := make([]float64, len(rows))
	for i := range rows {
		out[i] = 1 / count[rows[i].Source] / float64(len(count))
	}
	return out
}

// quantile returns the least x below or at which a share of the weight is.
func quantile(x, weight []float64, share float64) float64 {
	order := make([]int, len(x))
	total := 0.0
	for i := range order {
		order[i] = i
		total += weight[i]
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(x[a], x[b]), a-b) })
	sum := 0.0
	for _, i := range order {
		sum += weight[i]
		if sum >= share*total-1e-12 {
			return x[i]
		}
	}
	return math.NaN()
}

// reportErrors reports the median and the 90th percentile of relative errors, per cent, by rows and by sources of the
// same weight.
func reportErrors(f *papers.Figure, item string, rows []missed) {
	errs := make([]float64, len(rows))
	same := make([]float64, len(rows))
	for i := range rows {
		errs[i] = 100 * (math.Exp(math.Abs(rows[i].ln)) - 1)
		same[i] = 1
	}
	bySource := weights(rows)
	f.Report(item+"-median", quantile(errs, same, 0.5))
	f.Report(item+"-p90", quantile(errs, same, 0.9))
	f.Report(item+"-source-median", quantile(errs, bySource, 0.5))
	f.Report(item+"-source-p90", quantile(errs, bySource, 0.9))
}

// errorsOfLaw reports the errors of the law on what it was not fitted to, and how much of that its bands cover.
func errorsOfLaw(f *papers.Figure) error {
	rows, err := fittedRows()
	if err != nil {
		return err
	}
	ofSource := func(r *row) string { return r.Source }
	bySource := leaveOut(rows, false, ofSource)
	reportErrors(f, "source", bySource)
	reportErrors(f, "gpu", leaveOut(rows, false, func(r *row) string { return r.gpu.Name }))
	reportErrors(f, "generation", leaveOut(rows, false, func(r *row) string { return r.gpu.Generation }))
	reportErrors(f, "stack", leaveOut(rows, true, ofSource))
	pairs := ratios(bySource)
	f.Report("ratio-pairs", float64(len(pairs)))
	reportErrors(f, "ratio", pairs)
	effects := transformer.Effects()
	each := make([]float64, len(bySource))
	for i := range each {
		each[i] = 1
	}
	for _, share := range []string{"50", "80", "90"} {
		slow := effects["slow"+share]
		fast := effects["fast"+share]
		f.Report("covered-"+share, covered(bySource, each, slow, fast))
		f.Report("covered-"+share+"-source", covered(bySource, weights(bySource), slow, fast))
	}
	runs := slices.DeleteFunc(slices.Clone(bySource), func(m missed) bool { return m.Kind != "run" })
	for _, share := range []string{"50", "80", "90"} {
		f.Report("runs-"+share, covered(runs, each[:len(runs)], effects["slow"+share], effects["fast"+share]))
	}
	f.Report("measured", afterOne(bySource, effects))
	return nil
}

// setting is what rows of a source have in common whose GPU types are compared.
type setting struct {
	source, method, precision string
	params, active, seq       float64
	gpus                      int
}

// ratios returns, for each pair of GPU types that a source has in one setting, by how much the logarithm of the ratio
// of their speeds is off: of several rows of a type in a setting, their mean.
func ratios(rows []missed) (out []missed) {
	types := map[setting]map[string][]missed{}
	var order []setting
	for _, r := range rows {
		at := setting{r.Source, r.Method, r.Precision, r.Params, r.Active, r.Seq, r.GPUs}
		if types[at] == nil {
			types[at] = map[string][]missed{}
			order = append(order, at)
		}
		types[at][r.GPU] = append(types[at][r.GPU], r)
	}
	for _, at := range order {
		names := slices.Sorted(maps.Keys(types[at]))
		for i, one := range names {
			for _, other := range names[i+1:] {
				off := meanOff(types[at][one]) - meanOff(types[at][other])
				out = append(out, missed{types[at][one][0].row, off})
			}
		}
	}
	return out
}

func meanOff(rows []missed) float64 {
	sum := 0.0
	for _, r := range rows {
		sum += r.ln
	}
	return sum / float64(len(rows))
}

// afterOne returns in how many of a hundred pairs of rows of one source the speed of one, after the other is measured,
// is within the 80 % band of measured jobs: of sources with three rows or more, each with the same weight.
func afterOne(rows []missed, effects map[string]float64) float64 {
	bySource := map[string][]float64{}
	for i := range rows {
		bySource[rows[i].Source] = append(bySource[rows[i].Source], rows[i].ln)
	}
	sum := 0.0
	sources := 0.0
	for _, name := range slices.Sorted(maps.Keys(bySource)) {
		list := bySource[name]
		if len(list) < 3 {
			continue
		}
		within := 0
		for given := range list {
			for other := range list {
				if other != given && math.Abs(list[other]-effects["keep"]*list[given]) <= effects["after80"] {
					within++
				}
			}
		}
		sum += float64(within) / float64(len(list)*(len(list)-1))
		sources++
	}
	return 100 * sum / sources
}

// covered returns the share of the weight that is within a band.
func covered(rows []missed, weight []float64, slow, fast float64) float64 {
	sum := 0.0
	total := 0.0
	for i := range rows {
		total += weight[i]
		if rows[i].ln >= -slow && rows[i].ln <= fast {
			sum += weight[i]
		}
	}
	return 100 * sum / total
}
