// Package term writes for people: tables, colours, warnings and progress on a terminal,
// and the same without colours and cuts in a pipe.
package term

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/marigram/marigram/internal/store"
	"github.com/marigram/marigram/internal/table"
)

// screenOf returns what a place that text for people goes to can show. A pipe or a
// file has no colours and no width: nothing is cut or wrapped there. NO_COLOR (no-color.org)
// and TERM=dumb take the colours away, COLUMNS overrides the terminal's own width.
func screenOf(w io.Writer) table.Style {
	if output, ok := w.(*Output); ok {
		w = output.Writer
	}
	file, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return table.Style{}
	}
	// Consoles of Windows show escapes only if they are told to.
	style := table.Style{Colours: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" &&
		runtime.GOOS != "windows"}
	if columns, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && columns > 0 {
		style.Width = columns
	} else if columns, _, err := term.GetSize(int(file.Fd())); err == nil {
		style.Width = columns
	}
	return style
}

// Print prints a table as wide as the screen is. Output keeps an error, if there is one.
func Print(w io.Writer, t *table.Table) { _ = t.Write(w, screenOf(w)) }

// Warn prints a line that says what is doubtful and what to do about it.
func Warn(w io.Writer, format string, args ...any) {
	if IsQuiet(w) {
		return
	}
	fmt.Fprintf(w, "%s %s\n", screenOf(w).Paint(table.Yellow, "warning:"), Clean(fmt.Sprintf(format, args...)))
}

// WarnAll prints a line for each warning.
func WarnAll(w io.Writer, texts []string) {
	for _, text := range texts {
		Warn(w, "%s", text)
	}
}

// Fault prints a line that says what is wrong with a result that is printed all the same.
func Fault(w io.Writer, format string, args ...any) {
	fmt.Fprintf(w, "%s %s\n", screenOf(w).Paint(table.Red, "error:"), Clean(fmt.Sprintf(format, args...)))
}

// Output keeps the first error of what a command prints: not all look at it. On a terminal
// names that come from inputs are shown, whatever is in them, and do nothing else.
type Output struct {
	io.Writer
	Err   error
	Quiet bool // print neither warnings nor hints
}

// IsQuiet reports whether neither warnings nor hints are wanted.
func IsQuiet(w io.Writer) bool {
	output, is := w.(*Output)
	return is && output.Quiet
}

// Write writes to the writer.
func (p *Output) Write(b []byte) (int, error) {
	text := b
	if file, ok := p.Writer.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		text = []byte(harmless(string(b), true))
	}
	written, err := p.Writer.Write(text)
	if err == nil {
		written = len(b)
	}
	if p.Err == nil {
		p.Err = err
	}
	return written, err
}

// PrintError prints an error of the program.
func PrintError(w io.Writer, err error) {
	fmt.Fprintln(w, screenOf(w).Paint(table.Red, "marigram:"), Clean(err.Error()))
}

// longest is how much of a message is printed, in bytes: its beginning, which says where,
// and its end, which says what was expected.
const longest = 4000

// Clean makes a message safe to print: text of an input that is in it must not move the
// cursor, change the title or fill the screen. Control characters, but tabs and line ends,
// and characters that change the direction of writing become escapes as in Go (\x1b); the
// middle of a message of more than 4,000 bytes is left out, with a note of its size. Credentials
// of addresses are left out as well (store.Masked).
func Clean(text string) string {
	text = store.Masked(text)
	if size := len(text); size > longest {
		head := boundary(text, longest*3/4)
		tail := boundary(text, size-longest/4)
		text = fmt.Sprintf("%s ... (%d bytes left out) ... %s", text[:head], tail-head, text[tail:])
	}
	return harmless(text, false)
}

// boundary returns the begin of the character at a byte.
func boundary(text string, at int) int {
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

// harmless replaces what a terminal takes for more than text. The program's own colours stay
// where it may have painted.
func harmless(text string, painted bool) string {
	if strings.IndexFunc(text, func(char rune) bool { return commands(char) || char == utf8.RuneError }) < 0 {
		return text
	}
	var safe strings.Builder
	for i := 0; i < len(text); {
		char, size := utf8.DecodeRuneInString(text[i:])
		colour := sgr(text[i:])
		switch {
		case painted && colour > 0:
			size = colour
			safe.WriteString(text[i : i+size])
		case char == utf8.RuneError && size == 1 && !painted, commands(char):
			quoted := strconv.QuoteToASCII(text[i : i+size])
			safe.WriteString(quoted[1 : len(quoted)-1])
		default:
			safe.WriteString(text[i : i+size])
		}
		i += size
	}
	return safe.String()
}

// commands reports whether a terminal does something else with a character than show it.
func commands(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r)
}

// sgr returns the length of the colour of ECMA-48 that a text begins with; 0 if it begins with none.
func sgr(text string) int {
	rest, is := strings.CutPrefix(text, "\x1b[")
	if !is {
		return 0
	}
	end := strings.IndexFunc(rest, func(r rune) bool { return (r < '0' || r > '9') && r != ';' })
	if end < 0 || rest[end] != 'm' {
		return 0
	}
	return len("\x1b[") + end + 1
}
