package sweep

import (
	"bytes"
	"regexp"
	"testing"

	"github.com/marigram/marigram/experiments/sweep"
)

// Where there is no terminal a line says how far a sweep is; a message is a line.
func TestWatch(t *testing.T) {
	var out bytes.Buffer
	p := &sweep.Progress{}
	p.All.Store(100)
	p.Made.Store(30)
	p.Skipped.Store(20)
	p.Failed.Store(2)
	w := watch(&out, p)
	w.say("a chunk is damaged")
	w.stop()
	w.show()
	want := `^warning: a chunk is damaged\n50 of 100 runs, 2 failed, \d+ runs/s, \d+m?s left\n$`
	if !regexp.MustCompile(want).MatchString(out.String()) {
		t.Errorf("%q, want %s", out.String(), want)
	}
}
