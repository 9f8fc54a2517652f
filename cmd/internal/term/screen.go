// Package term writes for people: tables, colours, warnings and progress on a terminal,
// and the same without colours and cuts in a pipe.
package term

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"

	"golang.org/x/term"
)

// screen is what is known of the place that text for people goes to. A pipe or a
// file has no colours and no width: nothing is cut or wrapped there.
type screen struct {
	colours bool
	width   int // columns; 0: any
}

// screenOf looks at a writer. NO_COLOR (no-color.org) and TERM=dumb take the
// colours away, COLUMNS overrides the terminal's own width.
func screenOf(w io.Writer) screen {
	if p, ok := w.(*Output); ok {
		w = p.Writer
	}
	file, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return screen{}
	}
	// Consoles of Windows show escapes only if they are told to.
	s := screen{colours: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && runtime.GOOS != "windows"}
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		s.width = n
	} else if n, _, err := term.GetSize(int(file.Fd())); err == nil {
		s.width = n
	}
	return s
}

// Tone is an SGR code of ECMA-48. What a colour says, the text says, too.
type Tone string

const (
	Green  Tone = "1;32" // good
	Yellow Tone = "1;33" // doubtful
	Red    Tone = "1;31" // bad
	bold   Tone = "1"
)

// paint colours text where there are colours.
func (s screen) paint(t Tone, text string) string {
	if !s.colours || t == "" || text == "" {
		return text
	}
	return "\x1b[" + string(t) + "m" + text + "\x1b[0m"
}

// Warn prints a line that says what is doubtful and what to do about it.
func Warn(w io.Writer, format string, args ...any) {
	fmt.Fprintf(w, "%s %s\n", screenOf(w).paint(Yellow, "warning:"), Clean(fmt.Sprintf(format, args...)))
}

// Fault prints a line that says what is wrong with a result that is printed all the same.
func Fault(w io.Writer, format string, args ...any) {
	fmt.Fprintf(w, "%s %s\n", screenOf(w).paint(Red, "error:"), Clean(fmt.Sprintf(format, args...)))
}

// Output keeps the first error of what a command prints: not all look at it. On a terminal
// names that come from inputs are shown, whatever is in them, and do nothing else.
type Output struct {
	io.Writer
	Err error
}

// Write writes to the writer.
func (p *Output) Write(b []byte) (int, error) {
	text := b
	if file, ok := p.Writer.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		text = []byte(harmless(string(b), true))
	}
	n, err := p.Writer.Write(text)
	if err == nil {
		n = len(b)
	}
	if p.Err == nil {
		p.Err = err
	}
	return n, err
}

// PrintError prints an error of the program.
func PrintError(w io.Writer, err error) {
	fmt.Fprintln(w, screenOf(w).paint(Red, "marigram:"), Clean(err.Error()))
}
