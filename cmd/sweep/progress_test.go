package sweep

import (
	"bytes"
	"regexp"
	"testing"

	"github.com/marigram/marigram/experiments/sweep"
	"github.com/marigram/marigram/experiments/tune"
)

// Where there is no terminal a line says how far a sweep is; a message is a line.
func TestWatch(t *testing.T) {
	var out bytes.Buffer
	p := &sweep.Progress{}
	p.All.Store(100)
	p.Made.Store(30)
	p.Skipped.Store(20)
	p.Failed.Store(2)
	w := watch(&out, sweepRate(p))
	w.say("a chunk is damaged")
	w.stop()
	w.show()
	want := `^warning: a chunk is damaged\n50 of 100 runs, 2 failed, \d+ runs/s, \d+m?s left\n$`
	if !regexp.MustCompile(want).MatchString(out.String()) {
		t.Errorf("%q, want %s", out.String(), want)
	}
}

// Nothing is said of a tuning before it tells how far it is.
func TestWatchTuning(t *testing.T) {
	var out bytes.Buffer
	var p tuned
	w := watch(&out, p.state)
	w.stop()
	w.show()
	p.set(tune.Progress{Stage: "race", Left: 3, Of: 8, Runs: 40})
	w.show()
	if want := "race: 3 of 8 settings run on, 40 runs\n"; out.String() != want {
		t.Errorf("%q, expected %q", out.String(), want)
	}
}
