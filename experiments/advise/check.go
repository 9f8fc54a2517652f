package advise

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/marigram/marigram/experiments/market"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/sim"
)

// Check says how often intervals contained what runs then gave.
type Check struct {
	Version       int        `json:"version"`
	Policy        string     `json:"policy"`
	Objective     string     `json:"objective"`
	Continuations int        `json:"continuations"`
	Runs          int        `json:"runs"`
	Rows          []CheckRow `json:"rows"`
	Cost90        int        `json:"cost_in_90"` // rows whose cost lay in the interval of 90 %
	Cost50        int        `json:"cost_in_50"`
	Finish90      int        `json:"finish_in_90"`
	Finish50      int        `json:"finish_in_50"`
	// Central is how many rows lie in the middle 90 and 50 % of their continuations, where what ends alike is spread
	// evenly over the ranks that it takes: 0.9 and 0.5 of the rows are expected. An interval that ends where many
	// continuations end alike holds all of them, so the four counts above are larger.
	Central  [4]float64    `json:"central"`  // cost in 90, in 50; finish in 90, in 50
	Widened  *CheckWidened `json:"widened"`  // nil: fewer outcomes than that takes
	Met      int           `json:"met"`      // rows whose run met the objective
	MeanMet  float64       `json:"mean_met"` // mean probability
	Warnings []string      `json:"warnings"`

	Scores *Scores `json:"-"` // of the rows
}

// CheckWidened says how often intervals that were widened for the outcomes of earlier rows, of those that were over by
// then, contained what runs gave: the four intervals are of 90 and 50 % of the cost, then of the finish.
type CheckWidened struct {
	Rows    int        `json:"rows"`    // for which enough was known
	In      [4]int     `json:"in"`      // of them in the widened interval
	Central [4]float64 `json:"central"` // the same, ties by their ranks
	Before  [4]float64 `json:"before"`  // of the same rows in the intervals as the continuations say, ties by their ranks
	Times   [4]float64 `json:"times"`   // mean width over that of these; 0 where they have none
}

// CheckRow is an instant of a run. Times are in seconds, but for StartS from the start of the run.
type CheckRow struct {
	StartS     float64   `json:"start_s"` // from the beginning of the traces
	NowS       float64   `json:"now_s"`
	Done       float64   `json:"done"`
	CostUSD    float64   `json:"cost_usd"` // what the run then gave, in all
	FinishS    *float64  `json:"finish_s"` // nil: not by the horizon
	Met        bool      `json:"met"`
	MetShare   float64   `json:"met_share"` // of the continuations
	USD        Quantiles `json:"usd"`
	Finish     Quantiles `json:"finish"`
	CostIn90   bool      `json:"cost_in_90"`
	CostIn50   bool      `json:"cost_in_50"`
	FinishIn90 bool      `json:"finish_in_90"`
	FinishIn50 bool      `json:"finish_in_50"`
	// Central is the part of the row that Check.Central counts: of the cost in 90 and 50 %, of the finish.
	Central [4]float64 `json:"central"`
	// Widened are the intervals for the outcomes of earlier rows; nil: too few were known.
	Widened *RowWidened `json:"widened"`

	cost, finish *forecast
	score        Score
}

// RowWidened are the intervals of a row as they were widened, and whether and how much of the outcome lies in the four.
type RowWidened struct {
	USD     Quantiles  `json:"usd"`
	Finish  Quantiles  `json:"finish"`
	In      [4]bool    `json:"in"`
	Central [4]float64 `json:"central"`
	Calibration
}

// golden spreads instants over the time to the deadline, whatever their number.
const golden = 0.6180339887498949

// CheckIntervals runs the spec's first policy from n starts, evenly through the traces after a share of them,
// takes the state at an instant of each, and advises there with what was known then. The instants are spread over
// nine tenths of the time to the deadline; where a run is over by then, it is half as late, and so on. The spec's first
// objective is asked of the runs.
func CheckIntervals(ctx context.Context, s *spec.Spec, n int, warmUp float64, o Options) (*Check, error) {
	if !s.Workload().HasObjectives() {
		return nil, s.ErrorAt("$.jobs", "the intervals of many jobs are not checked yet: expected objectives of one job")
	}
	if s.Market.Synthetic != nil || len(s.Market.Pools) == 0 {
		return nil, s.ErrorAt("$.market", "expected recorded traces, of which runs at different instants can be made")
	}
	if err := s.Choose([]string{s.Policies[0].Name}); err != nil {
		return nil, err
	}
	sets, err := market.Sets(s)
	if err != nil {
		return nil, err
	}
	markets, err := market.Given(s, sets)
	if err != nil {
		return nil, err
	}
	whole, err := markets.For(uint64(s.Seed))
	if err != nil {
		return nil, err
	}
	starts, err := startsAfter(s, time.Duration(warmUp*float64(whole.End().Sub(0))), markets.LastStart(), n)
	if err != nil {
		return nil, err
	}
	o.Sets = sets
	out := &Check{
		Version:       FormatVersion,
		Policy:        s.Policies[0].Name,
		Objective:     s.Objectives[0].Name,
		Continuations: o.Continuations,
		Runs:          n,
		Rows:          []CheckRow{},
		Warnings:      append([]string{}, markets.Warnings...),
	}
	defer func(seed int64) { s.Seed = seed }(s.Seed)
	for k := range n {
		if k > 0 {
			s.Seed++ // boots and victims of their own
		}
		row, err := checkAt(ctx, s, whole, markets, starts[k], math.Mod(float64(k+1)*golden, 1), o)
		if err != nil {
			return nil, err
		}
		if row != nil {
			out.add(row)
		}
	}
	if len(out.Rows) == 0 {
		return nil, fmt.Errorf("no run of %s was under way long enough for a state to be taken", out.Policy)
	}
	out.MeanMet /= float64(len(out.Rows))
	out.widen()
	out.Scores.Spec = s.Name
	out.Scores.Begins = beginning(markets)
	return out, nil
}

// widen widens the intervals of each row by the outcomes of those that were over by then, and counts.
func (c *Check) widen() {
	c.Scores = &Scores{Version: FormatVersion, Policy: c.Policy, Objective: c.Objective}
	for i := range c.Rows {
		c.Scores.Rows = append(c.Scores.Rows, c.Rows[i].score)
	}
	var sum CheckWidened
	var widths, before [4]float64
	for i, known := range issue(c.Scores.Rows) {
		if !known.adapts() {
			continue
		}
		row := &c.Rows[i]
		row.widen(&known)
		sum.Rows++
		for k, level := range row.Widened.levels() {
			of := [...]*forecast{row.cost, row.finish}[k/2]
			widths[k] += of.width(level)
			before[k] += of.width(1 - targets[k])
			sum.Central[k] += row.Widened.Central[k]
			sum.Before[k] += row.Central[k]
			if row.Widened.In[k] {
				sum.In[k]++
			}
		}
	}
	if sum.Rows == 0 {
		return
	}
	for k := range widths {
		if before[k] > 0 {
			sum.Times[k] = widths[k] / before[k]
		}
	}
	c.Widened = &sum
}

// widen widens the intervals of the row by what was known.
func (r *CheckRow) widen(known *issued) {
	var w RowWidened
	var calibration *Calibration
	w.USD, w.Finish, calibration = calibrate(r.cost, r.finish, known)
	w.Calibration = *calibration
	w.In[0], w.In[1] = w.USD.Covers(r.CostUSD)
	w.In[2], w.In[3] = w.Finish.Covers(stats.Or(r.FinishS, math.Inf(1)))
	for k, level := range w.levels() {
		w.Central[k] = [...]ranks{r.score.Cost, r.score.Finish}[k/2].within(level)
	}
	r.Widened = &w
}

// startsAfter returns n starts at equal distances from the first instant to the last, of the part of the traces that
// the spec names.
func startsAfter(s *spec.Spec, first, last time.Duration, n int) ([]time.Duration, error) {
	if last < first {
		return nil, fmt.Errorf("no start after %v of the traces leaves a whole horizon of %v: "+
			"-s horizon_s makes it shorter", first.Round(time.Second), s.Horizon())
	}
	w, err := spec.WindowOf(s.Starts.Part, last+s.Horizon(), s.Horizon())
	if err != nil {
		return nil, fmt.Errorf("starts.part: %w", err)
	}
	starts, skipped := make([]time.Duration, n), w.Before(first)
	for k := range starts {
		starts[k] = w.At(skipped + time.Duration(float64(w.Total()-skipped)*float64(k)/float64(max(n-1, 1))))
	}
	return starts, nil
}

// add counts a row.
func (c *Check) add(r *CheckRow) {
	c.Rows = append(c.Rows, *r)
	count := func(n *int, is bool) {
		if is {
			*n++
		}
	}
	count(&c.Cost90, r.CostIn90)
	count(&c.Cost50, r.CostIn50)
	count(&c.Finish90, r.FinishIn90)
	count(&c.Finish50, r.FinishIn50)
	count(&c.Met, r.Met)
	for i, part := range r.Central {
		c.Central[i] += part
	}
	c.MeanMet += r.MetShare
}

// checkAt checks one run; nil if it was over before a state could be taken.
func checkAt(ctx context.Context, s *spec.Spec, m *sim.Market, markets *market.Markets, start time.Duration,
	fraction float64, o Options) (*CheckRow, error) {
	a := &adviser{spec: s, market: m, markets: markets, state: &State{}}
	job := &oneJob{adviser: a}
	a.work = job
	if err := job.open(nil); err != nil {
		return nil, err
	}
	config := a.config(0)
	config.Start = sim.Time(0).Add(start)
	config.Horizon = s.Horizon()
	within := config.Jobs[0].Objective.Within
	var state *State
	var totals *sim.Totals
	for late := 0.9 * fraction; state == nil; late /= 2 {
		if late < 1e-3 {
			return nil, nil
		}
		at := config.Start.Add(time.Duration(late * float64(within)))
		policy, err := a.policy(0)
		if err != nil {
			return nil, err
		}
		config.Policy = &awake{policy, at}
		config.Recorder = &Recording{Take: func(v sim.View, _ *sim.Plan, now func() *State) {
			if state == nil && v.Now() >= at && v.Job(0).Active() {
				state = now()
			}
		}}
		world, err := sim.New(config)
		if err == nil {
			totals = world.Run()
		}
		closePolicy(policy)
		if err != nil {
			return nil, err
		}
	}
	advice, err := Advise(ctx, s, state, o)
	if err != nil {
		return nil, err
	}
	bill := totals.Bill
	end := job.outcome(totals, bill.Total())
	end.met = end.finish <= within.Seconds()*(1+1e-12) // the intervals are of a deadline
	return checked(advice, start, &end), nil
}

// checked compares what was expected with how the run ended.
func checked(advice *Advice, start time.Duration, end *outcome) *CheckRow {
	expected := &advice.Policies[0]
	row := &CheckRow{
		StartS:   start.Seconds(),
		NowS:     advice.ElapsedS,
		Done:     advice.Done,
		CostUSD:  end.usd,
		FinishS:  stats.FiniteOrNil(end.finish),
		Met:      end.met,
		MetShare: expected.Met,
		USD:      expected.USD,
		Finish:   expected.FinishS,
	}
	row.cost = advice.cost
	row.finish = advice.finish
	row.score = Score{
		NowS:   row.StartS + row.NowS,
		KnownS: row.StartS + min(end.finish, advice.finish.most),
		Cost:   row.cost.rank(end.usd),
		Finish: row.finish.rank(end.finish),
	}
	for k, target := range targets {
		of := [...]*forecast{row.cost, row.finish}[k/2]
		x := [...]float64{end.usd, end.finish}[k/2]
		row.Central[k] = of.tied(x).within(1 - target)
	}
	row.CostIn90, row.CostIn50 = row.USD.Covers(end.usd)
	row.FinishIn90, row.FinishIn50 = row.Finish.Covers(end.finish)
	return row
}
