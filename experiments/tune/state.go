package tune

import (
	"sync"
	"sync/atomic"

	"github.com/marigram/marigram/experiments/results"
)

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
	Stage string // "race" or "check"
	Left  int    // settings that may win
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
	Candidates []string        `json:"candidates"` // JSON; the first are the spec's own settings
	Blocks     int             `json:"blocks"`
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
