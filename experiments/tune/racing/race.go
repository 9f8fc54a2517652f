// Package racing finds the cheapest of many settings that meets an objective in a share
// of the runs, with far fewer runs than all of them on all blocks. It knows numbers only.
//
// A block is what settings share and what is drawn anew and independently: a seed, or a
// start in a recorded trace. Every setting runs the same blocks in the same order, so
// that differences of costs are paired. The race (in the manner of Maron and Moore,
// Hoeffding races, 1994, with paired tests as F-Race's, Birattari and others, 2002):
//
//   - Looks at 10, 15, 22, ... blocks, each half as many again as the one before.
//   - A setting is out when the upper bound of its share lies below the one asked for.
//   - The leader is the cheapest setting whose share, as estimated, is high enough. A
//     setting is dropped if it is surely not cheaper than the leader by more than the
//     margin; this is asked again, on the same blocks, for every new leader. So a leader
//     that goes out gives everything back that was dropped because of it.
//   - When all others are dropped, one setting runs blocks that chose nothing until the
//     lower bound of its share proves it, or the upper bound disproves it, or even a
//     little more than what it shows could not be proven; then the race goes on without it.
//     It is the cheapest that may meet the share, or, if its share is in doubt, the one
//     within the margin of it that met the objective most often.
//
// With probability 1 - Alpha the winner costs at most (1 + Within) times the cheapest
// setting that meets the share, and with probability 1 - Alpha its share is as proven. Alpha
// is split: for costs one half, for shares in the race and on fresh blocks a quarter each, of
// which every look has its part, and each of the possible leaders an equal one.
// Bounds of shares are exact (Clopper and Pearson, 1934). Those of costs are Student's, which
// take means of paired differences to be normal.
//
// The cost of a run that misses its objective counts as it is.
package racing

import (
	"fmt"
)

// New returns a race. It panics where the options are not as they say.
func New(o Options) *Race {
	o.check()
	r := &Race{Options: o, analyses: analysesTo(firstAnalysis, o.Blocks), rows: make([]row, o.Settings), lead: -1,
		costs: make([]float64, o.Settings), quantiles: map[int]float64{}}
	r.blocks = r.analyses[0]
	return r
}

// Next returns the runs that are wanted now; none if the race has ended. Each is to be
// given to Add before Next is called again.
func (r *Race) Next() []Request {
	for r.result == nil {
		var want []Request
		if r.current != nil {
			want = r.certify()
		} else {
			want = r.race()
		}
		if n := count(want); n > 0 {
			if r.Max > 0 && r.runs+n > r.Max {
				r.finish()
				return nil
			}
			return want
		}
	}
	return nil
}

// Add tells what the runs of a request came to, by block. It panics where these are not
// the next ones of the setting.
func (r *Race) Add(q Request, outcomes []Outcome) {
	if len(outcomes) != q.Runs() {
		panic("racing: Add: expected an outcome a run")
	}
	if r.runs += int64(len(outcomes)); q.Attempt > 0 {
		r.addFresh(&q, outcomes)
		return
	}
	row := &r.rows[q.Setting]
	if len(row.usd) != q.From {
		panic("racing: Add: not the next blocks of the setting")
	}
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

// race returns what has to be run before more can be said; nothing if an attempt has begun
// or the race has ended.
func (r *Race) race() []Request {
	if want := r.behind(r.analyses[0], func(int) bool { return true }); want != nil {
		return want // the first look
	}
	r.judge()
	if r.lead >= 0 {
		if want := r.behind(r.blocks, func(g int) bool { return g == r.lead }); want != nil {
			return want
		}
	}
	if want := r.behind(r.blocks, r.rest); want != nil {
		return want
	}
	switch {
	case !r.any(func(int) bool { return true }):
		r.finish()
	case r.blocks < r.Blocks && r.any(r.rest):
		r.blocks = after(r.analyses, r.blocks, r.Blocks)
	default:
		r.attempt(r.choose())
	}
	return nil
}

// Options say what a race is about.
type Options struct {
	Settings int     // how many, at least 1
	Share    float64 // of the runs that has to meet the objective: above 0, below 1
	Within   float64 // margin of the cost, a share of the best's, at least 0
	Alpha    float64 // probability of an error of each of the two kinds, above 0, below 1
	Blocks   int     // most blocks of the race, at least 1
	Fresh    int     // most blocks of an attempt to prove a share, at least 1
	// SameFresh says that all attempts run the same fresh blocks, as on a recorded
	// trace, of which there is only one.
	SameFresh bool
	Max       int64 // most runs in all; 0: no bound
}

func (o *Options) check() {
	inside := func(x float64) bool { return x > 0 && x < 1 }
	if o.Settings < 1 || !inside(o.Share) || !(o.Within >= 0) || !inside(o.Alpha) || o.Blocks < 1 || o.Fresh < 1 || o.Max < 0 {
		panic(fmt.Sprintf("racing: %+v", *o))
	}
}

// Levels: the error probabilities of single tests.

// costLevel is that of a comparison of costs on n blocks.
func (o *Options) costLevel(analyses []int, n int) float64 {
	return o.Alpha / 2 * part(number(analyses, n, fewest), from(analyses, fewest)) / float64(max(o.Settings-1, 1))
}

// shareLevel is that of a share in the race on n blocks.
func (o *Options) shareLevel(analyses []int, n int) float64 {
	return o.Alpha / 4 * part(number(analyses, n, 0), len(analyses))
}

// attemptLevel is that of the proofs of the j-th attempt, from 1, all looks together. Attempts
// after the first were chosen by those before; on the same blocks any setting may be.
func (o *Options) attemptLevel(j int) float64 {
	level := o.Alpha / float64(j*(j+1))
	if o.SameFresh && j > 1 {
		level /= float64(o.Settings)
	}
	return level
}

// The reasons.
const (
	TooRarely Reason = "share"      // it meets the objective too rarely
	RunFailed Reason = "failed"     // a run of it failed
	Unproven  Reason = "not proven" // its share could not be proven on all fresh blocks
)

func count(want []Request) (n int64) {
	for i := range want {
		n += int64(want[i].Runs())
	}
	return n
}

// behind asks for the next look of the settings that may win, of those of a kind, and that
// have run fewer than n blocks.
func (r *Race) behind(blocks int, of func(g int) bool) (want []Request) {
	for g := range r.rows {
		if n := len(r.rows[g].usd); r.rows[g].out == "" && n < blocks && of(g) {
			want = append(want, Request{Setting: g, From: n, To: after(r.analyses, n, blocks)})
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

// Request asks for runs: of one setting, on the blocks From to before To. Of the attempt 0
// they are those of the race; of the attempt j, from 1, blocks that nothing else runs
// (unless Options.SameFresh).
type Request struct {
	Setting, Attempt, From, To int
}

// Runs returns how many runs are asked for.
func (q *Request) Runs() int { return q.To - q.From }

// Race is a race under way. What it asks for is a function of what it was told alone.
type Race struct {
	Options
	analyses []int
	rows     []row
	blocks   int       // that the leader and what is not dropped have to run
	lead     int       // cheapest setting whose share, as estimated, is high enough: it drops others; -1: none
	costs    []float64 // as estimated
	attempts []Attempt
	current  *Attempt // under way, the last of attempts; nil: none
	unproven int      // attempts
	runs     int64
	result   *Result // nil: under way

	quantiles map[int]float64 // of comparisons of costs, by the number of blocks
}

// Attempt is one to prove a setting's share on blocks that chose nothing.
type Attempt struct {
	Setting int
	USD     []float64 // by block
	Met     int
	End     string // Proven, or the reason why the setting cannot win; empty: under way

	analyses []int
	level    float64 // error probability of a proof, all looks together
	proof    boundary
}

// Share returns the share of the blocks on which the objective was met.
func (a *Attempt) Share() float64 { return float64(a.Met) / float64(len(a.USD)) }

// Result is what a race came to.
type Result struct {
	// Winner is the setting to choose; -1 if none can meet the share. It is proven, or
	// else the likeliest: the first whose proof was tried, or the leader.
	Winner int
	Proven bool // the winner's share is
	// Decided says that no setting that may meet the share is cheaper than the winner by
	// more than the margin.
	Decided  bool
	Attempts []Attempt
	Runs     int64 // in all
	Blocks   int   // most that a setting ran in the race
	Settings []RankingRow
}

// RankingRow is what is known of a setting after a race.
type RankingRow struct {
	Blocks int // of the race
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

// Outcome is what a run came to.
type Outcome struct {
	USD    float64 // what it cost
	Met    bool    // it met the objective
	Failed bool    // it has no cost; its setting cannot win
}

// row is what is known of a setting on the blocks of the race.
type row struct {
	usd []float64 // by block
	met int       // blocks on which it met the objective
	out Reason    // why it cannot win; empty if it may
}

func (r *row) share() float64 { return float64(r.met) / float64(len(r.usd)) }

func (r *row) mean() float64 {
	sum := 0.0
	for _, x := range r.usd {
		sum += x
	}
	return sum / float64(len(r.usd))
}
