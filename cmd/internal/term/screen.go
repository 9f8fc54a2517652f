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
	if n := len(text); n > longest {
		head, tail := boundary(text, longest*3/4), boundary(text, n-longest/4)
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
	if strings.IndexFunc(text, func(r rune) bool { return commands(r) || r == utf8.RuneError }) < 0 {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch n := sgr(text[i:]); {
		case painted && n > 0:
			b.WriteString(text[i : i+n])
			size = n
		case r == utf8.RuneError && size == 1 && !painted, commands(r):
			quoted := strconv.QuoteToASCII(text[i : i+size])
			b.WriteString(quoted[1 : len(quoted)-1])
		default:
			b.WriteString(text[i : i+size])
		}
		i += size
	}
	return b.String()
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
	n := strings.IndexFunc(rest, func(r rune) bool { return (r < '0' || r > '9') && r != ';' })
	if n < 0 || rest[n] != 'm' {
		return 0
	}
	return len("\x1b[") + n + 1
}
