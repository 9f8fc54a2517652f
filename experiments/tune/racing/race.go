package racing

// Reason says why a setting cannot win.
type Reason string

// The reasons.
const (
	TooRarely Reason = "share"      // it meets the objective too rarely
	RunFailed Reason = "failed"     // a run of it failed
	Unproven  Reason = "not proven" // its share could not be proven on all fresh blocks
)

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
	looks    []int
	rows     []row
	blocks   int       // that the leader and what is not dropped have to run
	first    int       // cheapest setting whose share, as estimated, is high enough; -1: none
	lead     int       // the one that drops others: the first, or one near it with a surer share; -1: none
	costs    []float64 // as estimated
	rivals   []int     // that may be proven in place of a leader whose share is in doubt
	attempts []Attempt
	current  *Attempt // under way, the last of attempts; nil: none
	unproven int      // attempts
	runs     int64
	result   *Result // nil: under way

	quantiles map[int]float64 // of comparisons of costs, by the number of blocks
}

// New returns a race. It panics where the options are not as they say.
func New(o Options) *Race {
	o.check()
	r := &Race{Options: o, looks: looksTo(firstLook, o.Blocks), rows: make([]row, o.Settings), first: -1, lead: -1,
		costs: make([]float64, o.Settings), quantiles: map[int]float64{}}
	r.blocks = r.looks[0]
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
			if r.Most > 0 && r.runs+n > r.Most {
				r.finish()
				return nil
			}
			return want
		}
	}
	return nil
}

func count(want []Request) (n int64) {
	for i := range want {
		n += int64(want[i].Runs())
	}
	return n
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
	if want := r.behind(r.looks[0], func(int) bool { return true }); want != nil {
		return want // the first look
	}
	r.judge()
	r.findRivals()
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
		r.blocks = after(r.looks, r.blocks, r.Blocks)
	default:
		r.attempt(r.choose())
	}
	return nil
}

// behind asks for the next look of the settings that may win, of those of a kind, and that
// have run fewer than so many blocks.
func (r *Race) behind(blocks int, of func(g int) bool) (want []Request) {
	for g := range r.rows {
		if n := len(r.rows[g].usd); r.rows[g].out == "" && n < blocks && of(g) {
			want = append(want, Request{Setting: g, From: n, To: after(r.looks, n, blocks)})
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
