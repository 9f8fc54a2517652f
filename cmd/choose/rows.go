package choose

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/live/try"
	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/units"
)

// Row is what a job costs in a region, on a number of instances of a type, under a policy.
type Row struct {
	Rank       int64    `col:"rank" json:"rank" doc:"place by what is asked for, the best 1"`
	Prices     string   `col:"prices" json:"prices" doc:"the file or set of prices"`
	Region     string   `col:"region" json:"region" doc:"of the pools"`
	Type       string   `col:"instance_type" json:"instance_type" doc:"of the instances"`
	GPU        string   `col:"gpu" json:"gpu" doc:"of an instance"`
	GPUs       int64    `col:"gpus" json:"gpus" doc:"in all instances"`
	Nodes      int64    `col:"nodes" json:"nodes" doc:"instances that train together"`
	Policy     string   `col:"policy" json:"policy" doc:"ondemand, safe:checkpoint or mdp"`
	Runs       int64    `col:"runs" json:"runs" doc:"from different starts"`
	USD        *float64 `col:"usd" unit:"USD" json:"usd" doc:"mean cost; none if the row was not run"`
	Low        *float64 `col:"usd_low" unit:"USD" json:"usd_low" doc:"lower end of the 95 % interval of the mean; none without one"`
	High       *float64 `col:"usd_high" unit:"USD" json:"usd_high" doc:"upper end"`
	Hours      *float64 `col:"hours" unit:"h" json:"hours" doc:"mean time until the job is done, of the runs that finished; none if none did"`
	Late       *float64 `col:"late" json:"late" doc:"share of the runs that missed the deadline"`
	LateUSD    *float64 `col:"late_usd" unit:"USD" json:"late_usd" doc:"mean of what the hours after the deadline cost, not in usd"`
	OverBudget *float64 `col:"over_budget" json:"over_budget" doc:"share of the runs above the budget; none without a budget"`
	Meets      bool     `col:"meets" json:"meets" doc:"whether the share of the runs that is asked for meets the deadline, and the budget"`
	Memory     string   `col:"memory" json:"memory" doc:"whether the job fits, as far as its model knows"`
	Assumed    string   `col:"assumed" json:"assumed" doc:"what was assumed, a sentence each"`
	From       string   `col:"prices_from" json:"prices_from" doc:"first day of the prices; empty if the record has no dates"`
	To         string   `col:"prices_to" json:"prices_to" doc:"last day"`
	Refused    string   `col:"refused" json:"refused" doc:"why the row was not run; empty if it was"`
}

// name is what the row's spec is of.
func (r *Row) name() string { return fmt.Sprint(r.Prices, r.Region, r.Type, r.Nodes) }

// interval is that of the mean cost.
func (r *Row) interval() string {
	if r.Low == nil {
		return ""
	}
	return units.USD(*r.Low) + " to " + units.USD(*r.High)
}

// comparison is a job and what it may run on.
type comparison struct {
	*flags
	job       *spec.Spec
	hours     float64 // until the deadline
	share     float64 // of the runs that has to meet it
	offers    []offer
	inputs    []string
	specs     map[string][]byte // of the rows that could be run, by their names
	different bool              // dates
	assumed   []string
}

// offer is a number of instances of a type in a region.
type offer struct {
	prices string
	market *try.Market
	on     *try.Type
	nodes  int
}

// lastDays is how much of a record is used: what is older says little about what a job costs now.
const lastDays = 90

// policies are those of the rows: on demand, spot with a way back, and what plans ahead.
var policies = []string{"ondemand", "safe:checkpoint", "mdp"}

// add adds the offers of a market.
func (c *comparison) add(prices string, market *try.Market) {
	leftOut := func(only []string, name string) bool { return len(only) > 0 && !slices.Contains(only, name) }
	for i := range market.Types {
		on := &market.Types[i]
		if leftOut(c.Regions, on.Region) || leftOut(c.Types, on.Type) {
			continue
		}
		for _, nodes := range c.Nodes {
			c.offers = append(c.offers, offer{prices, market, on, nodes})
		}
	}
}

// maxOffers bounds what is run at once.
const maxOffers = 300

func (c *comparison) check() error {
	for _, nodes := range c.Nodes {
		if nodes < 1 || nodes > 1000 {
			return fmt.Errorf("--nodes %d: expected 1 to 1000", nodes)
		}
	}
	if len(c.offers) == 0 {
		regions := cmp.Or(strings.Join(c.Regions, ","), "all")
		types := cmp.Or(strings.Join(c.Types, ","), "all")
		return fmt.Errorf("no prices are left: --region %s, --type %s; expected some that %s has",
			regions, types, strings.Join(c.flags.Prices, ", "))
	}
	if len(c.offers) > maxOffers {
		return fmt.Errorf("%d regions, types and numbers of instances, expected at most %d: "+
			"--region, --type and --nodes choose some", len(c.offers), maxOffers)
	}
	return nil
}

// rows runs all offers and returns the rows, the best first.
func (c *comparison) rows(ctx context.Context, bar *cli.Bar) (rows []Row, err error) {
	c.specs = map[string][]byte{}
	ends := map[string]bool{}
	for i := range c.offers {
		more, err := c.run(ctx, i)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
		bar.Set(int64(i + 1))
		ends[more[0].From+more[0].To] = true
	}
	c.different = len(ends) > 1
	slices.SortStableFunc(rows, c.compare)
	for i := range rows {
		rows[i].Rank = int64(i + 1)
	}
	return rows, nil
}

// run runs an offer. What cannot be run is a row that says why.
func (c *comparison) run(ctx context.Context, at int) ([]Row, error) {
	offer := &c.offers[at]
	row := Row{Prices: offer.prices, Region: offer.on.Region, Type: offer.on.Type, GPU: offer.on.GPU,
		GPUs: int64(offer.nodes * offer.on.GPUs), Nodes: int64(offer.nodes)}
	var starter spec.Starter
	refused := func(err error) ([]Row, error) {
		row.Refused = reason(err, starter.Name)
		row.Memory = "not run"
		return []Row{row}, nil
	}
	model, err := c.job.ModelOn(offer.nodes)
	if err != nil {
		return nil, err
	}
	starter = spec.Starter{
		Name:     fmt.Sprintf("%s-%dx-%s-%s", c.job.Name, offer.nodes, offer.on.Type, offer.on.Region),
		Model:    model,
		Nodes:    offer.nodes,
		Within:   c.hours,
		Policies: policies,
		Starts:   c.Starts,
	}
	from, to := offer.market.IntoLast(&starter, offer.on, lastDays)
	if !from.IsZero() {
		row.From = day(from)
		row.To = day(to)
	}
	text, assumed, err := starter.Write()
	if err != nil {
		return refused(err)
	}
	row.Assumed = strings.Join(assumed, "; ")
	for _, one := range assumed {
		if !slices.Contains(c.assumed, one) {
			c.assumed = append(c.assumed, one)
		}
	}
	name := starter.Name + ".yaml"
	parsed, err := spec.Parse(name, text)
	if err != nil {
		return refused(err)
	}
	study, err := offer.market.Study(parsed)
	if err != nil {
		return refused(err)
	}
	set, err := study.Run(ctx)
	if err != nil {
		return nil, err
	}
	c.specs[row.name()] = text
	row.Memory = "not known"
	if estimate, is := parsed.Estimate(); is {
		row.Memory = cmp.Or(estimate.Memory, row.Memory)
		slowest := math.Exp(-estimate.Slow)
		fastest := math.Exp(estimate.Fast)
		assumed = append(assumed, fmt.Sprintf("the speed is estimated: %.4g %s, between %.2f and %.2f times that",
			estimate.Middle, estimate.Unit, slowest, fastest))
		row.Assumed = strings.Join(assumed, "; ")
	}
	return c.sumUp(row, set.Summaries), nil
}

// reason is the first line of an error, without the place in the spec that was written, which nobody has.
func reason(err error, name string) string {
	text, _, _ := strings.Cut(err.Error(), "\n")
	if _, after, inSpec := strings.Cut(text, name+".yaml:"); inSpec {
		_, text, _ = strings.Cut(after, " ")
	}
	return text
}

// sumUp returns a row a policy.
func (c *comparison) sumUp(row Row, runs []results.Summary) (rows []Row) {
	for _, a := range experiments.Aggregates(runs) {
		one := row
		one.Policy = a.Policy
		one.Runs = int64(a.Runs)
		one.USD = &a.CostUSD.Mean
		if a.FinishS != nil {
			hours := a.FinishS.Mean / 3600
			one.Hours = &hours
		}
		var cost intervals.Tally
		late := 0.0
		lateUSD := 0.0
		over := 0.0
		met := 0.0 // runs, as late and over, until they are divided by their number
		for i := range runs {
			run := &runs[i]
			if run.Policy != a.Policy {
				continue
			}
			cost.AddRun(run, run.CostUSD)
			if !run.Met {
				late++
				lateUSD += c.flags.Late * (max(run.LastedS(), run.ObjectiveS) - run.ObjectiveS) / 3600
			}
			isOver := c.Budget > 0 && run.CostUSD > c.Budget
			if isOver {
				over++
			}
			if (run.Met || c.flags.Late > 0 && run.Finished) && !isOver {
				met++
			}
		}
		for _, sum := range []*float64{&late, &lateUSD, &over, &met} {
			*sum /= float64(a.Runs)
		}
		if interval := cost.MeanInterval(); interval != nil {
			one.Low = &interval.Low
			one.High = &interval.High
		}
		one.Late = &late
		one.LateUSD = &lateUSD
		if c.Budget > 0 {
			one.OverBudget = &over
		}
		one.Meets = met >= c.share-1e-9
		rows = append(rows, one)
	}
	return rows
}

// compare orders rows by what is asked for: those that meet it first, by dollars; the others by how far they are from
// it; then those that were not run.
func (c *comparison) compare(a, b Row) int {
	key := func(r *Row) [3]float64 {
		switch {
		case r.USD == nil:
			return [3]float64{2}
		case !r.Meets:
			over := 0.0
			if r.OverBudget != nil {
				over = *r.OverBudget
			}
			return [3]float64{1, max(*r.Late, over), *r.USD + *r.LateUSD}
		}
		return [3]float64{0, *r.USD + *r.LateUSD}
	}
	of := key(&a)
	other := key(&b)
	return slices.Compare(of[:], other[:])
}
