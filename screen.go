package main

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
	if p, ok := w.(*printed); ok {
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

// tone is an SGR code of ECMA-48. What a colour says, the text says, too.
type tone string

const (
	green  tone = "1;32"
	yellow tone = "1;33"
	red    tone = "1;31"
	bold   tone = "1"
)

// paint colours text where there are colours.
func (s screen) paint(t tone, text string) string {
	if !s.colours || t == "" || text == "" {
		return text
	}
	return "\x1b[" + string(t) + "m" + text + "\x1b[0m"
}

// warn prints a line that says what is doubtful and what to do about it.
func warn(w io.Writer, format string, args ...any) {
	fmt.Fprintf(w, "%s %s\n", screenOf(w).paint(yellow, "warning:"), fmt.Sprintf(format, args...))
}

// printed keeps the first error of what a command prints: not all look at it.
type printed struct {
	io.Writer
	err error
}

func (p *printed) Write(b []byte) (int, error) {
	n, err := p.Writer.Write(b)
	if p.err == nil {
		p.err = err
	}
	return n, err
}

// complain prints an error of the program.
func complain(w io.Writer, err error) {
	fmt.Fprintln(w, screenOf(w).paint(red, "marigram:"), err)
}
