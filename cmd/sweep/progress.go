package sweep

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/experiments/sweep"
	"github.com/marigram/marigram/experiments/tune"
)

// state is how far work is.
type state struct {
	done, all int64 // runs; all is -1 where it is not known
	about     string
	line      string // the same where nobody looks on; empty: nothing yet
}

// watcher shows how far work is: a bar on a terminal, else a line every ten seconds.
type watcher struct {
	out        io.Writer
	bar        *cli.Bar // nil: no terminal
	state      func() state
	mu         sync.Mutex // of out
	end, ended chan struct{}
}

// watch begins; stop ends it.
func watch(out io.Writer, of func() state) *watcher {
	w := &watcher{out: out, bar: cli.NewBar(out, -1, "runs", ""), state: of, end: make(chan struct{}), ended: make(chan struct{})}
	every := 10 * time.Second
	if w.bar != nil {
		every = 200 * time.Millisecond
	}
	go w.loop(every)
	return w
}

// say prints a warning.
func (w *watcher) say(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	term.Warn(w.out, "%s", text)
}

func (w *watcher) stop() {
	close(w.end)
	<-w.ended
	w.bar.Clear()
}

func (w *watcher) loop(every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	defer close(w.ended)
	for {
		select {
		case <-w.end:
			return
		case <-tick.C:
			w.show()
		}
	}
}

func (w *watcher) show() {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.state()
	switch {
	case s.line == "":
		return
	case w.bar == nil:
		fmt.Fprintln(w.out, s.line)
		return
	}
	if s.about != "" {
		w.bar.Describe(s.about)
	}
	if s.all >= 0 {
		w.bar.Total(s.all)
	}
	w.bar.Set(s.done)
}

// sweepRate returns how far a sweep is.
func sweepRate(p *sweep.Progress) func() state {
	began := time.Now()
	return func() state {
		made, failed, all := p.Made.Load(), p.Failed.Load(), p.All.Load()
		s := state{done: made + p.Skipped.Load(), all: all}
		if failed > 0 {
			s.about = fmt.Sprintf("%d failed", failed)
		}
		rate, left := float64(made)/time.Since(began).Seconds(), "?"
		if rate > 0 {
			left = time.Duration(float64(all-s.done) / rate * float64(time.Second)).Round(time.Second).String()
		}
		s.line = fmt.Sprintf("%d of %d runs, %d failed, %.0f runs/s, %s left", s.done, all, failed, rate, left)
		return s
	}
}

// tuned is how far a tuning is, as it tells.
type tuned struct {
	mu  sync.Mutex
	now tune.Progress
}

func (t *tuned) set(p tune.Progress) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.now = p
}

func (t *tuned) state() state {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.now.Stage == "" {
		return state{all: -1}
	}
	text := stage(&t.now)
	return state{done: t.now.Runs, all: -1, about: text, line: fmt.Sprintf("%s, %d runs", text, t.now.Runs)}
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
	return "value of changes"
}
