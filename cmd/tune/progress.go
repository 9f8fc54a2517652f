package tune

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/experiments/tune"
)

// watcher shows how far a tuning is: a bar on a terminal, else a line every ten seconds.
type watcher struct {
	out  io.Writer
	bar  *cli.Bar // nil: no terminal
	mu   sync.Mutex
	last time.Time
	now  tune.Progress
}

func watch(out io.Writer) *watcher {
	return &watcher{out: out, bar: cli.NewBar(out, -1, "runs", ""), last: time.Now()}
}

const lineEvery = 10 * time.Second

func (w *watcher) show(p tune.Progress) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = p
	text := stage(&p)
	if w.bar != nil {
		w.bar.Describe(text)
		w.bar.Set(p.Runs)
		return
	}
	if now := time.Now(); now.Sub(w.last) >= lineEvery {
		w.last = now
		fmt.Fprintf(w.out, "%s, %d runs\n", text, p.Runs)
	}
}

func stage(p *tune.Progress) string {
	switch p.Stage {
	case "search":
		return fmt.Sprintf("search: %d of %d settings tried", p.Left, p.Of)
	case "race":
		return fmt.Sprintf("race: %d of %d settings run on", p.Left, p.Of)
	case "proof":
		return "proof of the winner"
	}
	return "worth of changes"
}

// runs returns how many were done.
func (w *watcher) runs() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now.Runs
}

func (w *watcher) stop() { w.bar.Clear() }
