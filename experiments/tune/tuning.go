// Package tune finds settings of a policy: the cheapest that meet an objective in a share
// of the runs.
//
//	r, err := tune.Find(ctx, tune.Question{Spec: "quickstart", Policy: "spotdnn-safe",
//		Objective: "loss-0.54-in-6h", Set: []string{"policy.reserve_s=60,300"}, Share: 0.95, Within: 0.02}, tune.Options{})
//
// Settings are a grid of values, all of which race against each other (package racing), or
// ranges, of which CMA-ES first finds some good ones. Each block of the race is a seed or,
// on a recorded market, a start in it; blocks of a search, of a race and of the proof of a
// winner are different ones, so that those that chose do not certify. On a recorded market
// the part train of the trace chooses and the part judge proves (spec.WindowOf).
//
// What it does depends on the question alone, not on how many cores there are. With a
// folder, runs are kept in chunks there, as those of a sweep are, and what was interrupted
// goes on where it was:
//
//	tune.json                        the question, and a hash of all that results depend on
//	plan=HASH12/part-000000.parquet  a chunk
//	result.json, winner.yaml         the answer
package tune

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/tune/racing"
)

// Find answers a question. Errors are those of the question, or of the folder. If ctx is
// done it returns its error; chunks of the folder stay, and the same question goes on there.
func Find(ctx context.Context, q Question, o Options) (*Answer, error) {
	t, axes, err := prepare(&q, &o)
	if err != nil {
		return nil, err
	}
	var all []candidate
	searched := slices.ContainsFunc(axes, func(a axis) bool { return a.ranged() })
	if !searched {
		if all, err = grid(axes); err != nil {
			return nil, err
		}
	}
	if t.blocks, err = t.field.blocksOf(searched); err != nil {
		return nil, err
	}
	first, err := t.field.add(append([]candidate{nil}, all...)) // the spec's own settings are number 0
	if err != nil {
		return nil, err
	}
	if err := t.begin(ctx); err != nil {
		return nil, err
	}
	race := make([]int, len(all))
	for i := range race {
		race[i] = first + 1 + i
	}
	tried := 0
	if searched {
		if race, tried, err = t.search(ctx, axes); err != nil {
			return nil, err
		}
	}
	a, err := t.race(ctx, race)
	if err != nil {
		return nil, err
	}
	a.Searched = tried
	if err := t.value(ctx, a); err != nil {
		return nil, err
	}
	return a, t.keep(ctx, a)
}

// prepare reads everything that a question refers to.
func prepare(q *Question, o *Options) (*tuning, []axis, error) {
	if o.Progress == nil {
		o.Progress = func(Progress) {}
	}
	if o.Notice == nil {
		o.Notice = func(string) {}
	}
	base, err := q.open()
	if err != nil {
		return nil, nil, err
	}
	axes, err := parseAxes(q.Set, &base.Policies[0])
	if err != nil {
		return nil, nil, err
	}
	f, err := newField(q, base)
	return &tuning{question: q, options: o, field: f}, axes, err
}

// race races candidates and proves the winner.
func (t *tuning) race(ctx context.Context, of []int) (*Answer, error) {
	q, b := t.question, t.blocks
	r := racing.New(racing.Options{Settings: len(of), Share: q.Share, Within: q.Within, Alpha: q.Alpha, Blocks: b.race, Fresh: b.fresh,
		SameFresh: b.unit == results.ByStart, Max: t.left()})
	before := t.runs
	for want := r.Next(); want != nil; want = r.Next() {
		t.stage(stageName(&want[0]), len(want), len(of))
		chunks, err := t.run(ctx, together(want, of))
		if err != nil {
			return nil, err
		}
		for _, x := range want {
			r.Add(x, outcomes(chunks, of[x.Setting]))
		}
	}
	a := t.answer(r.Result(), of, before)
	a.Warnings = append(a.Warnings, t.idle(of, r.Same)...)
	return a, nil
}

func stageName(q *racing.Request) string {
	if q.Attempt > 0 {
		return "proof"
	}
	return "race"
}

// together puts requests for the same blocks together.
func together(want []racing.Request, of []int) (all []request) {
	for _, x := range want {
		same := func(q request) bool { return q.stage == x.Attempt && q.from == x.From && q.to == x.To }
		at := slices.IndexFunc(all, same)
		if at < 0 {
			at = len(all)
			all = append(all, request{stage: x.Attempt, from: x.From, to: x.To})
		}
		all[at].candidates = append(all[at].candidates, of[x.Setting])
	}
	return all
}

// Options say how an answer is found; it does not depend on them.
type Options struct {
	Workers int    // goroutines; 0: one a core
	Dir     string // folder of the runs and the answer; empty: nothing is kept
	Version string // of the tool, and the commit that it was built from
	Commit  string
	// Progress is told how far it is, from several goroutines one at a time. It may be nil.
	Progress func(Progress)
	// Notice is told what is doubtful. It may be nil.
	Notice func(string)
}

// Progress is how far a tuning is.
type Progress struct {
	Stage string // "search", "race", "proof" or "worth"
	Left  int    // settings that may win; in a search, those that were tried
	Of    int    // settings
	Runs  int64  // so far, those that were kept from before included
}

// tuning is one under way.
type tuning struct {
	question *Question
	options  *Options
	field    *field
	blocks   *blocks
	plan     *plan

	chunks int   // cut so far
	runs   int64 // of these
	made   atomic.Int64
	mu     sync.Mutex
	now    Progress
}

// left returns how many runs may still be made; 0: no bound.
func (t *tuning) left() int64 {
	if t.question.Max == 0 {
		return 0
	}
	return max(t.question.Max-t.runs, 1)
}

// stage says what comes.
func (t *tuning) stage(name string, left, of int) {
	t.mu.Lock()
	t.now = Progress{Stage: name, Left: left, Of: of}
	t.mu.Unlock()
	t.report()
}

// report says how far it is.
func (t *tuning) report() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.now.Runs = t.made.Load()
	t.options.Progress(t.now)
}

// plan is a question with all that its answer depends on.
type plan struct {
	Hash string `json:"hash"` // SHA-256 of what follows
	planBody
}

type planBody struct {
	Version    string          `json:"version"`
	Commit     string          `json:"commit"`
	GOARCH     string          `json:"goarch"`
	Schema     int             `json:"schema_version"`
	Question   Question        `json:"question"`
	SpecSHA256 string          `json:"spec_sha256"`
	Inputs     []results.Input `json:"inputs"`
	Candidates []string        `json:"candidates"` // JSON, of a grid; the first are the spec's own settings
	Blocks     int             `json:"blocks"`
	Max        int64           `json:"most,omitempty"` // of a search, which depends on it
}

// request asks for runs of candidates on the same blocks of a stage.
type request struct {
	candidates      []int
	stage, from, to int
}

// chunk is what one worker runs, and one file: candidates of one study on some blocks,
// block by block.
type chunk struct {
	request
	number int
	first  int64 // number of its first run
	rows   []results.SweepRow
}
