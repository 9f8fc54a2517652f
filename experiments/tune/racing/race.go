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
