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
