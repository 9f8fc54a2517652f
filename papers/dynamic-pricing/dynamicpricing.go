// Package regions computes the claims on where to rent: the strategies of the paper on
// dynamic pricing, and SkyNomad.
package dynamicpricing

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/papers"
	"github.com/marigram/marigram/papers/dynamic-pricing/reference"
)

// pricedJobs are the inputs of the figures: jobs of so much work, by region.
type pricedJobs struct {
	Regions []string `json:"regions"`
	Works   []struct {
		Name     string  `json:"name"`
		V100Days float64 `json:"v100_days"`
	} `json:"works"`
	Models     []string `json:"models"`
	Strategies []string `json:"strategies,omitempty"`
}

// cell is a job whose costs are computed.
type cell struct {
	region, work, model string
	market              *reference.Market
	job                 reference.Job
}

// name is for instance us-east-1-4d-lm-40.
func (c *cell) name() string {
	model, batch, _ := strings.Cut(strings.TrimSuffix(strings.ToLower(c.model), ")"), " (batch size ")
	return strings.TrimSuffix(strings.Join([]string{c.region, c.work, model, batch}, "-"), "-")
}

// cells returns all jobs of a figure.
func (in *pricedJobs) cells() ([]cell, error) {
	all, err := markets()
	if err != nil {
		return nil, err
	}
	speeds := publishedSpeeds()
	var list []cell
	for _, region := range in.Regions {
		for _, work := range in.Works {
			for _, model := range in.Models {
				c := cell{region, work.Name, model, all[region], reference.Job{Speeds: speeds[model], V100Days: work.V100Days}}
				if c.market == nil || c.job.Speeds == nil {
					return nil, fmt.Errorf("%s in %s: no prices or no speeds", model, region)
				}
				list = append(list, c)
			}
		}
	}
	return list, nil
}

// strategyNamed returns a published strategy.
func strategyNamed(name string) (*reference.Strategy, error) {
	for _, s := range reference.Strategies() {
		if s.Name == name {
			return &s, nil
		}
	}
	return nil, fmt.Errorf("no strategy %q", name)
}

// costs returns the cost of each start.
func (c *cell) costs(strategy string) ([]float64, error) {
	s, err := strategyNamed(strategy)
	if err != nil {
		return nil, err
	}
	list := make([]float64, c.market.Starts())
	for k := range list {
		r, err := c.market.Run(s, &c.job, k)
		if err != nil {
			return nil, err
		}
		list[k] = r.CostUSD
	}
	return list, nil
}

// each calls visit with the mean cost of every job under every strategy.
func (in *pricedJobs) each(visit func(c *cell, strategy string, usd float64)) error {
	list, err := in.cells()
	if err != nil {
		return err
	}
	for i := range list {
		for _, strategy := range in.Strategies {
			usd, err := list[i].costs(strategy)
			if err != nil {
				return err
			}
			visit(&list[i], strategy, stats.Mean(usd))
		}
	}
	return nil
}

// costs reports the mean costs.
func costs(f *papers.Figure) error {
	var in pricedJobs
	if err := f.Inputs(&in); err != nil {
		return err
	}
	return in.each(func(c *cell, strategy string, usd float64) { f.Report(c.name()+"-"+strategy, usd) })
}

// ratios reports how many times as expensive the first strategy is as each of the others.
func ratios(f *papers.Figure) error {
	var in pricedJobs
	if err := f.Inputs(&in); err != nil {
		return err
	}
	first := 0.0
	return in.each(func(c *cell, strategy string, usd float64) {
		if strategy == in.Strategies[0] {
			first = usd
			return
		}
		f.Report(c.name()+"-"+strategy, first/usd)
	})
}

// durations reports by the size of the job how many times as expensive it is to stay as to
// move: the mean of the ratios of the starts.
func durations(f *papers.Figure) error {
	var in pricedJobs
	if err := f.Inputs(&in); err != nil {
		return err
	}
	list, err := in.cells()
	if err != nil {
		return err
	}
	for i := range list {
		gain, err := list[i].gain()
		if err != nil {
			return err
		}
		f.Report(list[i].name(), gain)
	}
	return nil
}

// gain returns how many times as expensive it is to stay as to choose again every day: the mean of
// the ratios of the starts.
func (c *cell) gain() (float64, error) {
	stay, err := c.costs("multi_cloud")
	if err != nil {
		return 0, err
	}
	move, err := c.costs("preemption")
	if err != nil {
		return 0, err
	}
	for k := range stay {
		stay[k] /= move[k]
	}
	return stats.Mean(stay), nil
}

// runs counts by strategy the runs whose cost is, to a given share, that of the public
// code, and says the largest difference.
func runs(f *papers.Figure) error {
	var in struct {
		Exact  float64 `json:"exact_usd"`
		Within float64 `json:"within"`
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	type row struct {
		Region   string  `col:"region"`
		V100Days float64 `col:"v100_days"`
		Model    string  `col:"model"`
		Strategy string  `col:"strategy"`
		USD      string  `col:"usd"`
	}
	all, err := markets()
	if err != nil {
		return err
	}
	speeds := publishedSpeeds()
	exact, within := map[string]float64{}, map[string]float64{}
	for _, r := range facts.ReadFrom[row](files, "runs") {
		c := cell{market: all[r.Region], job: reference.Job{Speeds: speeds[r.Model], V100Days: r.V100Days}}
		got, err := c.costs(r.Strategy)
		if err != nil {
			return err
		}
		for k, text := range strings.Fields(r.USD) {
			usd, err := strconv.ParseFloat(text, 64)
			if err != nil {
				return err
			}
			if math.Abs(got[k]-usd) <= in.Exact {
				exact[r.Strategy]++
			}
			if math.Abs(got[k]/usd-1) <= in.Within {
				within[r.Strategy]++
			}
		}
	}
	for strategy := range within {
		f.Report(strategy+"-exact", exact[strategy])
		f.Report(strategy+"-within", within[strategy])
	}
	return nil
}

// otherRegions counts the rows of other regions and sizes whose mean, least, largest and
// seventh cost are as they were computed elsewhere.
func otherRegions(f *papers.Figure) error {
	var in struct {
		Within float64 `json:"within_usd"`
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	type row struct {
		Region   string  `col:"region"`
		V100Days float64 `col:"v100_days"`
		Model    string  `col:"model"`
		Strategy string  `col:"strategy"`
		Mean     float64 `col:"mean_usd"`
		Min      float64 `col:"least_usd"`
		Largest  float64 `col:"largest_usd"`
		Seventh  float64 `col:"seventh_usd"`
	}
	all, err := markets()
	if err != nil {
		return err
	}
	speeds, equal := publishedSpeeds(), 0
	for _, r := range facts.ReadFrom[row](files, "regions") {
		c := cell{market: all[r.Region], job: reference.Job{Speeds: speeds[r.Model], V100Days: r.V100Days}}
		usd, err := c.costs(r.Strategy)
		if err != nil {
			return err
		}
		off := max(math.Abs(stats.Mean(usd)-r.Mean), math.Abs(slices.Min(usd)-r.Min), math.Abs(slices.Max(usd)-r.Largest), math.Abs(usd[7]-r.Seventh))
		if off <= in.Within {
			equal++
		}
	}
	f.Report("rows", float64(equal))
	return nil
}
