package vtrain

import (
	"math"

	"gonum.org/v1/gonum/optimize"

	"github.com/marigram/marigram/calibrate/layout"
)

// numbers are those of the law that are fitted.
func numbers(times *layout.LayerTimes) []*float64 {
	return []*float64{
		&times.Products,
		&times.StreamPS,
		&times.AttentionPS,
		&times.InsideGBPerS,
		&times.LatencyUS,
		&times.LaunchUS,
		&times.LaunchTPUS,
		&times.StageUS,
		&times.NetworkGB,
		&times.Exposed,
		&times.UpdatePS,
	}
}

// start is where the search begins: what data sheets say of an A100, and round numbers.
func start(of layout.LayerTimes) layout.LayerTimes {
	of.Products = 0.6
	of.StreamPS = 40
	of.AttentionPS = 7
	of.InsideGBPerS = 150
	of.LatencyUS = 20
	of.LaunchUS = 2000
	of.LaunchTPUS = 300
	of.StageUS = 2000
	of.NetworkGB = 100
	of.Exposed = 1
	of.UpdatePS = 300
	return of
}

// manyWeight is the weight of the mean error on many nodes, beside that on one, in what a fit makes least.
const manyWeight = 0.5

// fit fits the numbers to rows: the least mean of |computed/measured - 1| on one node, and half of that on many. They
// stay above 0, as their logarithms are searched: four times from where the search before it ended, as a simplex can
// collapse before it is at the least.
func fit(from layout.LayerTimes, rows []row) (layout.LayerTimes, error) {
	fitted := from
	values := numbers(&fitted)
	begin := numbers(&from)
	var failed error
	loss := func(x []float64) float64 {
		for k := range x {
			*values[k] = *begin[k] * math.Exp(x[k])
		}
		one, many, err := meanErrors(fitted, rows)
		if err != nil {
			failed = err
		}
		// A number that no row asks for stays near where it began.
		apart := 0.0
		for k := range x {
			apart += 1e-5 * x[k] * x[k]
		}
		return one + manyWeight*many + apart
	}
	x := make([]float64, len(values))
	for range 4 {
		settings := &optimize.Settings{
			FuncEvaluations: 1500,
			Converger:       &optimize.FunctionConverge{Absolute: 1e-8, Iterations: 300},
		}
		found, err := optimize.Minimize(optimize.Problem{Func: loss}, x, settings, &optimize.NelderMead{})
		if failed != nil {
			return from, failed
		}
		if err != nil && found == nil {
			return from, err
		}
		x = found.X
	}
	loss(x)
	return fitted, failed
}

// meanErrors returns the mean of |computed/measured - 1| on one node and on many.
func meanErrors(times layout.LayerTimes, rows []row) (one, many float64, err error) {
	law := newPredictor(times)
	ones := 0.0
	manies := 0.0
	for i := range rows {
		off, err := law.off(&rows[i])
		if err != nil {
			return 0, 0, err
		}
		if rows[i].many() {
			many += math.Abs(off)
			manies++
		} else {
			one += math.Abs(off)
			ones++
		}
	}
	return one / ones, many / manies, nil
}

// predictor computes steps by one law; profiles are made once a network, micro-batch and tensor parallelism.
type predictor struct {
	times    layout.LayerTimes
	links    *layout.Links
	profiles map[profiled]*layout.Profile
}

// profiled is what a profile is made for.
type profiled struct {
	layout.Transformer
	micro, tp int
}

func newPredictor(times layout.LayerTimes) *predictor {
	curves := map[[2]layout.End]layout.Curve{}
	at := layout.End{Zone: where, GPU: times.GPU, GPUs: 1}
	curves[[2]layout.End{at, at}] = layout.Curve{0, 0, times.NetworkGB}
	links := layout.NewLinks(curves, nil)
	links.SetInside(times.GPU, times.Within())
	return &predictor{times, links, map[profiled]*layout.Profile{}}
}

// off returns computed/measured - 1 of a row.
func (p *predictor) off(r *row) (float64, error) {
	of := profiled{r.network(), r.micro, r.tp}
	profile := p.profiles[of]
	if profile == nil {
		profile = p.times.Profile(of.Transformer, []string{p.times.GPU}, []int{r.micro}, []int{r.tp})
		p.profiles[of] = profile
	}
	model := layout.Model{Profile: profile, Links: p.links, Runtime: p.times.Runtime()}
	cost, err := model.Cost(&r.planned)
	return cost.Step/r.seconds - 1, err
}
