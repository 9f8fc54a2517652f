package main

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// bar shows how far work has come. Where nobody looks on it is nil, and shows nothing.
type bar struct{ shown *progressbar.ProgressBar }

// newBar begins a bar of so many units (-1: not known yet), "bytes" or what is
// counted; nil if w is no terminal.
func newBar(w io.Writer, total int64, unit, about string) *bar {
	file, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return nil
	}
	options := []progressbar.Option{
		progressbar.OptionSetWriter(file), progressbar.OptionSetDescription(about),
		progressbar.OptionThrottle(200 * time.Millisecond), progressbar.OptionClearOnFinish(),
	}
	if unit == "bytes" {
		options = append(options, progressbar.OptionShowBytes(true))
	} else {
		options = append(options, progressbar.OptionShowIts(), progressbar.OptionShowCount(), progressbar.OptionSetItsString(unit))
	}
	return &bar{progressbar.NewOptions64(total, options...)}
}

// set shows that so much is done.
func (b *bar) set(done int64) {
	if b != nil {
		_ = b.shown.Set64(done)
	}
}

// total says how much there is to do.
func (b *bar) total(all int64) {
	if b != nil {
		b.shown.ChangeMax64(all)
	}
}

// describe shows a text before the bar.
func (b *bar) describe(text string) {
	if b != nil {
		b.shown.Describe(text)
	}
}

// clear takes the bar away.
func (b *bar) clear() {
	if b != nil {
		_ = b.shown.Finish()
	}
}
