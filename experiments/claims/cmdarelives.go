package claims

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/optimize"

	"github.com/marigram/marigram/calibrate"
	"github.com/marigram/marigram/traces"
)

// cmdareLifetimes reports, by GPU and region, the share of simulated machines
// that are taken within some hours, how long they live, and how far the bathtub
// law that is fitted to them is from the shares. The machines live as long as the
// middles of the quantiles of the hourly law.
func cmdareLifetimes(f *Figure) error {
	for _, l := range calibrate.PublishedLives() {
		var lost []float64
		for i := range l.Servers {
			if h := l.Quantile((float64(i) + .5) / float64(l.Servers)); h < 24 {
				lost = append(lost, 3600*h)
			}
		}
		hours, job, err := live(servers(l.GPU, l.Servers, 0, lost), longest)
		if err != nil {
			return err
		}
		name := l.GPU + "-" + l.Region
		for _, within := range []float64{1, 4, 8, 24} {
			n := 0
			for _, h := range hours {
				if h < within {
					n++
				}
			}
			f.Report(fmt.Sprintf("%s-%vh", name, within), float64(n)/float64(l.Servers))
		}
		f.Report(name+"-mean", job.InstanceTime.Hours()/float64(l.Servers))
		law, err := fitBathtub(&l)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		f.Report(name+"-bathtub", law.distance(&l))
	}
	return nil
}

// bathtub is the bathtub law fitted to lives that end at 24 h.
type bathtub struct{ traces.Bathtub }

// fitBathtub fits the law to the shares at whole hours, the last of which is 1,
// by least squares: Nelder and Mead's search from several starts.
func fitBathtub(l *calibrate.Lives) (bathtub, error) {
	problem := optimize.Problem{Func: func(x []float64) float64 {
		law, sum := bathtubOf(x), 0.
		if law.A > 1 {
			return math.Inf(1)
		}
		for h := 1; h < len(l.Revoked); h++ {
			d := law.Died(float64(h)) - taken(l, h)
			sum += d * d
		}
		d := law.Died(24) - 1
		return sum + d*d
	}}
	best, least := bathtub{}, math.Inf(1)
	for _, early := range []float64{.2, 2, 10} {
		start := []float64{math.Log(.5), math.Log(early), math.Log(.3), math.Log(24)}
		r, err := optimize.Minimize(problem, start, nil, &optimize.NelderMead{})
		if err != nil {
			return best, err
		}
		if r.F < least {
			best, least = bathtubOf(r.X), r.F
		}
	}
	return best, nil
}

func bathtubOf(x []float64) bathtub {
	return bathtub{traces.Bathtub{A: math.Exp(x[0]), Tau1: math.Exp(x[1]), Tau2: math.Exp(x[2]), B: math.Exp(x[3])}}
}

// taken returns the share of the machines that was taken within so many hours.
func taken(l *calibrate.Lives, hours int) float64 {
	n := 0
	for _, k := range l.Revoked[:hours] {
		n += k
	}
	return float64(n) / float64(l.Servers)
}

// distance returns the largest difference of the shares at whole hours before
// the last.
func (b bathtub) distance(l *calibrate.Lives) float64 {
	worst := 0.
	for h := 1; h < len(l.Revoked); h++ {
		worst = max(worst, math.Abs(b.Died(float64(h))-taken(l, h)))
	}
	return worst
}
