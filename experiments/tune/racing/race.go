// Package racing finds the cheapest of many settings that meets an objective in a share of the runs, with far fewer
// runs than all of them on all blocks. It knows numbers only.
//
// A block is what settings share and what is drawn anew and independently: a seed, or a start in a recorded trace.
// Every setting runs the same blocks in the same order, so that differences of costs are paired. The race (in the
// manner of Maron and Moore, Hoeffding races, 1994, with paired tests as F-Race's, Birattari and others, 2002):
//
//   - Looks at 10, 15, 22, ... blocks, each half as many again as the one before.
//   - A setting is out when the upper bound of its share lies below the one asked for.
//   - The leader is the cheapest setting whose share, as estimated, is high enough. A setting is dropped if it is
//     surely not cheaper than the leader by more than the margin; this is asked again, on the same blocks, for every
//     new leader. So a leader that goes out gives everything back that was dropped because of it.
//   - The race ends when all others are dropped and the leader's share is likely to be high enough, or with its last
//     block. The winner is the cheapest setting that may meet the share or, if its share is in doubt, the one within
//     the margin of it that met the objective most often; or else the cheapest whose share is likely to be high enough.
//
// With probability 1 - Alpha no setting that meets the share is cheaper than the winner of a decided race by more than
// the margin. Alpha is split: one half is for costs, a quarter for shares, of which every look has its part, and each
// of the possible leaders an equal one. What the race says of the winner's share is no proof: it chose on the same
// blocks. The bounds of shares are exact (intervals.UpperShare). Those of costs are Student's, which take means of
// paired differences to be normal.
//
// The cost of a run that misses its objective counts as it is.
package racing

import (
	"fmt"
	"math"

	"github.com/marigram/marigram/internal/stats"
)

// Options say what a race is about.
type Options struct {
	Settings int     // how many, at least 1
	Share    float64 // of the runs that has to meet the objective: above 0, below 1
	Within   float64 // margin of the cost, a share of the best's, at least 0
	Alpha    float64 // probability of an error, above 0, below 1
	Blocks   int     // most blocks that a setting runs, at least 1
	Max      int64   // most runs in all; 0: no bound
}

func (o *Options) check() {
	inside := func(x float64) bool { return x > 0 && x < 1 }
	if o.Settings < 1 || !inside(o.Share) || !(o.Within >= 0) || !inside(o.Alpha) || o.Blocks < 1 || o.Max < 0 {
		panic(fmt.Sprintf("racing: %+v", *o))
	}
}

// costLevel is the error probability of a comparison of costs on n blocks.
func (o *Options) costLevel(analyses []int, n int) float64 {
	return o.Alpha / 2 * part(number(analyses, n, fewest), from(analyses, fewest)) / float64(max(o.Settings-1, 1))
}

// shareLevel is the error probability of a bound of a share on n blocks.
func (o *Options) shareLevel(analyses []int, n int) float64 {
	return o.Alpha / 4 * part(number(analyses, n, 0), len(analyses))
}

// Race is a race under way. What it asks for is a function of what it was told alone.
type Race struct {
	Options
	analyses []int
	rows     []row
	blocks   int       // that the leader and what is not dropped have to run
	lead     int       // cheapest setting whose share, as estimated, is high enough: it drops others; -1: none
	costs    []float64 // as estimated
	runs     int64
	result   *Result // nil: under way

	quantiles map[int]float64 // of comparisons of costs, by the number of blocks
}

// New returns a race. It panics where the options are not as they say.
func New(o Options) *Race {
	o.check()
	analyses := analysesTo(firstAnalysis, o.Blocks)
	return &Race{
		Options:   o,
		analyses:  analyses,
		blocks:    analyses[0],
		rows:      make([]row, o.Settings),
		costs:     make([]float64, o.Settings),
		lead:      -1,
		quantiles: map[int]float64{},
	}
}

// Request asks for runs: of one setting, on the blocks From to before To.
type Request struct {
	Setting, From, To int
}

// Runs returns how many runs are asked for.
func (q *Request) Runs() int { return q.To - q.From }

// Next returns the runs that are wanted now; none if the race has ended. Each is to be
// given to Add before Next is called again.
func (r *Race) Next() []Request {
	for r.result == nil {
		want := r.advance()
		runs := int64(0)
		for i := range want {
			runs += int64(want[i].Runs())
		}
		if runs == 0 {
			continue
		}
		if r.Max > 0 && r.runs+runs > r.Max {
			r.finish(false)
			return nil
		}
		return want
	}
	return nil
}

// Outcome is what a run came to.
type Outcome struct {
	USD    float64 // what it cost
	Met    bool    // it met the objective
	Failed bool    // it has no cost; its setting cannot win
}

// Add tells what the runs of a request came to, by block. It panics where these are not
// the next ones of the setting.
func (r *Race) Add(q Request, outcomes []Outcome) {
	if len(outcomes) != q.Runs() {
		panic("racing: Add: expected an outcome a run")
	}
	row := &r.rows[q.Setting]
	if len(row.usd) != q.From {
		panic("racing: Add: not the next blocks of the setting")
	}
	r.runs += int64(len(outcomes))
	for _, x := range outcomes {
		row.usd = append(row.usd, x.USD)
		if x.Met {
			row.met++
		}
		if x.Failed {
			row.out = RunFailed
		}
	}
}

// advance returns what has to be run before more can be said; nothing if that is asked for with the next call, or the
// race has ended.
func (r *Race) advance() []Request {
	if want := r.behind(r.analyses[0], func(int) bool { return true }); want != nil {
		return want // the first look
	}
	r.judge()
	if r.lead >= 0 {
		if want := r.behind(r.blocks, func(g int) bool { return g == r.lead }); want != nil {
			return want
		}
	}
	if want := r.behind(r.blocks, r.mustRun); want != nil {
		return want
	}
	open := r.any(r.mustRun) || r.lead >= 0 && !r.isSure(r.lead)
	if r.blocks < r.Blocks && open {
		r.blocks = after(r.analyses, r.blocks, r.Blocks)
		return nil
	}
	r.finish(true)
	return nil
}

// behind asks for the next look of the settings that may win, of those of a kind, and that
// have run fewer than n blocks.
func (r *Race) behind(blocks int, of func(g int) bool) (want []Request) {
	for g := range r.rows {
		ran := len(r.rows[g].usd)
		if r.rows[g].out == "" && ran < blocks && of(g) {
			want = append(want, Request{Setting: g, From: ran, To: after(r.analyses, ran, blocks)})
		}
	}
	return want
}

// any reports whether a setting of a kind may win.
func (r *Race) any(of func(g int) bool) bool {
	for g := range r.rows {
		if r.rows[g].out == "" && of(g) {
			return true
		}
	}
	return false
}

// Reason says why a setting cannot win.
type Reason string

// The reasons.
const (
	TooRarely Reason = "share"  // it meets the objective too rarely
	RunFailed Reason = "failed" // a run of it failed
)

// row is what is known of a setting.
type row struct {
	usd []float64 // by block
	met int       // blocks on which it met the objective
	out Reason    // why it cannot win; empty if it may
}

func (r *row) share() float64 { return float64(r.met) / float64(len(r.usd)) }

func (r *row) mean() float64 { return stats.Mean(r.usd) }

// Result is what a race came to.
type Result struct {
	// Winner is the setting to choose; -1 if none can meet the share.
	Winner int
	// Decided says that no setting that may meet the share is cheaper than the winner by more than the margin.
	Decided  bool
	Runs     int64 // in all
	Blocks   int   // most that a setting ran
	Settings []RankingRow
}

// RankingRow is what is known of a setting after a race.
type RankingRow struct {
	Blocks int
	Met    int
	USD    float64 // mean over these blocks; NaN without any
	// Diff is the mean of its cost less the winner's, on the blocks of both, in USD; NaN
	// without a winner.
	Diff float64
	Out  Reason // why it cannot win; empty if it could
	// Close says that it may cost less than the winner, by however little.
	Close bool
	// UpperShare is the upper bound of its share at the level of the race.
	UpperShare float64
}

// Result returns what the race came to; nil while it is under way.
func (r *Race) Result() *Result { return r.result }

// finish ends the race: at its own end, or before, where no more runs may be made.
func (r *Race) finish(ended bool) {
	res := &Result{Winner: r.lead, Runs: r.runs}
	if ended || r.lead < 0 {
		res.Winner = r.choose()
	}
	if winner := res.Winner; winner >= 0 {
		res.Decided = true
		for g := range r.rows {
			mayWin := r.rows[g].out == ""
			res.Decided = res.Decided && (g == winner || !mayWin || r.isDropped(g, winner))
		}
	}
	for g := range r.rows {
		res.Blocks = max(res.Blocks, len(r.rows[g].usd))
		res.Settings = append(res.Settings, r.rankingRow(g, res.Winner))
	}
	r.result = res
}

func (r *Race) rankingRow(g, winner int) RankingRow {
	row := &r.rows[g]
	known := RankingRow{
		Blocks:     len(row.usd),
		Met:        row.met,
		USD:        row.mean(),
		Diff:       math.NaN(),
		Out:        row.out,
		UpperShare: 1,
	}
	if len(row.usd) > 0 {
		known.UpperShare = r.upperShare(g)
	}
	if winner < 0 {
		return known
	}
	best := &r.rows[winner]
	known.Diff = meanDifference(row, best)
	if g != winner && row.out == "" {
		known.Close = r.isClose(row, best)
	}
	return known
}

// isClose reports whether a setting may cost less than another one.
func (r *Race) isClose(setting, other *row) bool {
	blocks := common(setting, other)
	if blocks < fewest {
		return true
	}
	low, _ := lowerDifference(setting, other, 1, r.quantile(blocks))
	return low <= 0
}
