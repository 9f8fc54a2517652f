package cmdare

import (
	"fmt"
	"github.com/marigram/marigram/papers/internal/world"
	"math"

	"github.com/marigram/marigram/papers"
	"github.com/marigram/marigram/traces/describe"
)

// cmdareLifetimes reports, by GPU and region, the share of simulated machines
// that are taken within some hours, how long they live, and how far the bathtub
// law that is fitted to them is from the shares. The machines live as long as the
// middles of the quantiles of the hourly law.
func cmdareLifetimes(f *papers.Figure) error {
	for _, l := range publishedLifetimes() {
		var lost []float64
		for i := range l.servers {
			if h := l.quantile((float64(i) + .5) / float64(l.servers)); h < 24 {
				lost = append(lost, 3600*h)
			}
		}
		hours, job, err := world.Live(world.Machines(l.gpu, l.servers, 0, lost), world.Longest)
		if err != nil {
			return err
		}
		name := l.gpu + "-" + l.region
		for _, within := range []float64{1, 4, 8, 24} {
			n := 0
			for _, h := range hours {
				if h < within {
					n++
				}
			}
			f.Report(fmt.Sprintf("%s-%vh", name, within), float64(n)/float64(l.servers))
		}
		f.Report(name+"-mean", job.InstanceTime.Hours()/float64(l.servers))
		off, err := bathtubOff(&l)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		f.Report(name+"-bathtub", off)
	}
	return nil
}

// taken returns the share of the machines that was taken within n hours.
func taken(l *hourlyLifetimes, hours int) float64 {
	n := 0
	for _, k := range l.revoked[:hours] {
		n += k
	}
	return float64(n) / float64(l.servers)
}

// bathtubOff returns how far the bathtub law is from the shares at whole hours
// before the last, the largest difference, where it is fitted to these and to
// all machines being gone at the last.
func bathtubOff(l *hourlyLifetimes) (float64, error) {
	var hours, died []float64
	for h := 1; h < len(l.revoked); h++ {
		hours, died = append(hours, float64(h)), append(died, taken(l, h))
	}
	law, err := describe.FitBathtub(append(hours, float64(len(l.revoked))), append(died, 1))
	if err != nil {
		return 0, err
	}
	worst := 0.
	for i, h := range hours {
		worst = max(worst, math.Abs(law.Died(h)-died[i]))
	}
	return worst, nil
}
