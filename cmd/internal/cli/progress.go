package cli

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// Bar shows how far work has come. Where nobody looks on it is nil, and shows nothing.
type Bar struct{ shown *progressbar.ProgressBar }

// NewBar begins a bar of n units (-1: not known yet), "bytes" or what is
// counted; nil if w is no terminal.
func NewBar(w io.Writer, total int64, unit, about string) *Bar {
	file, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return nil
	}
	return newBar(file, total, unit, about)
}

// newBar is NewBar of what is a terminal.
func newBar(w io.Writer, total int64, unit, about string) *Bar {
	options := []progressbar.Option{
		progressbar.OptionSetWriter(w), progressbar.OptionSetDescription(about),
		progressbar.OptionThrottle(200 * time.Millisecond), progressbar.OptionClearOnFinish(),
	}
	if unit == "bytes" {
		options = append(options, progressbar.OptionShowBytes(true))
	} else {
		options = append(options, progressbar.OptionShowIts(), progressbar.OptionShowCount(),
			progressbar.OptionSetItsString(unit))
	}
	b := &Bar{progressbar.NewOptions64(total, options...)}
	b.Set(0) // its clock begins here: else what is done first is divided by no time at all
	return b
}

// Set shows that so much is done.
func (b *Bar) Set(done int64) {
	if b != nil {
		_ = b.shown.Set64(done)
	}
}

// Total says how much there is to do.
func (b *Bar) Total(all int64) {
	if b != nil {
		b.shown.ChangeMax64(all)
	}
}

// Describe shows a text before the bar.
func (b *Bar) Describe(text string) {
	if b != nil {
		b.shown.Describe(text)
	}
}

// Clear takes the bar away.
func (b *Bar) Clear() {
	if b != nil {
		_ = b.shown.Finish()
	}
}
