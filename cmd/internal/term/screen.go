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

	"github.com/marigram/marigram/internal/table"
)

// screenOf returns what a place that text for people goes to can show. A pipe or a
// file has no colours and no width: nothing is cut or wrapped there. NO_COLOR (no-color.org)
// and TERM=dumb take the colours away, COLUMNS overrides the terminal's own width.
func screenOf(w io.Writer) table.Style {
	if p, ok := w.(*Output); ok {
		w = p.Writer
	}
	file, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return table.Style{}
	}
	// Consoles of Windows show escapes only if they are told to.
	s := table.Style{Colours: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && runtime.GOOS != "windows"}
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		s.Width = n
	} else if n, _, err := term.GetSize(int(file.Fd())); err == nil {
		s.Width = n
	}
	return s
}

// Print prints a table as wide as the screen is. Output keeps an error, if there is one.
func Print(w io.Writer, t *table.Table) { _ = t.Write(w, screenOf(w)) }

// Warn prints a line that says what is doubtful and what to do about it.
func Warn(w io.Writer, format string, args ...any) {
	fmt.Fprintf(w, "%s %s\n", screenOf(w).Paint(table.Yellow, "warning:"), Clean(fmt.Sprintf(format, args...)))
}

// Fault prints a line that says what is wrong with a result that is printed all the same.
func Fault(w io.Writer, format string, args ...any) {
	fmt.Fprintf(w, "%s %s\n", screenOf(w).Paint(table.Red, "error:"), Clean(fmt.Sprintf(format, args...)))
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
	fmt.Fprintln(w, screenOf(w).Paint(table.Red, "marigram:"), Clean(err.Error()))
}
