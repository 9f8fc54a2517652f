package sweep

import (
	"fmt"
	"io"
	"time"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/experiments/sweep"
)

// watcher shows how far a sweep is: a bar on a terminal, else a line every ten
// seconds.
type watcher struct {
	out      io.Writer
	progress *sweep.Progress
	bar      *cli.Bar // nil: no terminal
	began    time.Time
	messages chan string
	end      chan struct{} // closed by stop
	ended    chan struct{} // closed by loop
}

// watch begins; stop ends it.
func watch(out io.Writer, p *sweep.Progress) *watcher {
	w := &watcher{
		out: out, progress: p, bar: cli.NewBar(out, -1, "runs", ""), began: time.Now(),
		messages: make(chan string), end: make(chan struct{}), ended: make(chan struct{}),
	}
	every := 10 * time.Second
	if w.bar != nil {
		every = 200 * time.Millisecond
	}
	go w.loop(every)
	return w
}

// say prints a line.
func (w *watcher) say(text string) { w.messages <- text }

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
		case text := <-w.messages:
			term.Warn(w.out, "%s", text)
		case <-tick.C:
			w.show()
		}
	}
}

func (w *watcher) show() {
	p, all := w.progress, w.progress.All.Load()
	made, failed := p.Made.Load(), p.Failed.Load()
	done := made + p.Skipped.Load()
	if w.bar != nil {
		if failed > 0 {
			w.bar.Describe(fmt.Sprintf("%d failed", failed))
		}
		w.bar.Total(all)
		w.bar.Set(done)
		return
	}
	rate := float64(made) / time.Since(w.began).Seconds()
	left := "?"
	if rate > 0 {
		left = time.Duration(float64(all-done) / rate * float64(time.Second)).Round(time.Second).String()
	}
	fmt.Fprintf(w.out, "%d of %d runs, %d failed, %.0f runs/s, %s left\n", done, all, failed, rate, left)
}
