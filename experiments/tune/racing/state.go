package racing

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
