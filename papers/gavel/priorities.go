package gavel

import (
	"cmp"
	"strconv"

	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/papers"
	"github.com/marigram/marigram/papers/gavel/reference"
	"github.com/marigram/marigram/traces/synth/workload"
)

// priorities reports the mean time to completion, h, of the jobs of a window with a weight above 1 and of the others,
// where jobs arrive at a rate: the mean of some seeds.
func priorities(f *papers.Figure) error {
	var in struct {
		First   int                  `json:"first"`
		Last    int                  `json:"last"`
		Made    int                  `json:"made"`
		Seeds   int                  `json:"seeds"`
		PerHour map[string][]float64 `json:"per_hour"` // by policy
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	points := each(in.PerHour, func(p *point) {
		for seed := range in.Seeds {
			g := &workload.Gavel{Seed: int64(seed), MeanGap: 3600 / p.x, SeveralGPUs: true, Priorities: true}
			c, err := simulation(p.policy, g, in.Made)
			if err != nil || f.Context().Err() != nil {
				p.err = cmp.Or(err, f.Context().Err())
				return
			}
			c.Until = in.Last + 1
			low, high := byWeight(&c, in.First)
			p.value += low / float64(in.Seeds)
			p.second += high / float64(in.Seeds)
		}
	})
	for _, p := range points {
		if p.err != nil {
			return p.err
		}
		item := p.policy + "-" + strconv.FormatFloat(p.x, 'f', -1, 64)
		f.Report(item+"-low", p.value)
		f.Report(item+"-high", p.second)
	}
	return nil
}

// byWeight simulates, and returns the mean times to completion of the jobs from first to Until, h.
func byWeight(c *reference.Config, first int) (low, high float64) {
	var times [2][]float64
	for j, r := range reference.Run(*c)[first:c.Until] {
		if r.Done {
			heavy := 0
			if c.Jobs[first+j].Weight > 1 {
				heavy = 1
			}
			times[heavy] = append(times[heavy], r.JCT/3600)
		}
	}
	return stats.Mean(times[0]), stats.Mean(times[1])
}
