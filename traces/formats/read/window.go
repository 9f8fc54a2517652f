package read

import (
	"bytes"
	"cmp"
	"io"
)

const (
	// WindowBytes is how much of a text is in memory at once, but for a token or
	// a line that is longer.
	WindowBytes = 1 << 20
	// MaxText is the longest token of JSON and the longest line.
	MaxText = 1 << 20
)

// window is the part of a text that is in memory. It slides: fill drops what was
// read and brings in what follows.
type window struct {
	data []byte // what is there
	buf  []byte // what data lies in
	in   io.Reader
	err  error // why the text could not be read to its end

	line, column int // line ends before data, and bytes between the last of them and data
}

func newWindow(in io.Reader, size int) window {
	return window{in: in, buf: make([]byte, size)}
}

// fill drops the bytes of data before from and brings in more behind the rest.
// It reports whether more came: if not, the text is at its end, or err says why
// no more can be read.
func (w *window) fill(from int) bool {
	w.drop(from)
	if w.in == nil {
		return false
	}
	if 2*len(w.data) > len(w.buf) {
		w.buf = make([]byte, 2*len(w.buf))
	}
	n := copy(w.buf, w.data)
	there := n
	for n < len(w.buf) && w.in != nil {
		more, err := w.in.Read(w.buf[n:])
		n += more
		if err != nil {
			w.in = nil
		}
		if err != nil && err != io.EOF {
			w.err = err
		}
	}
	w.data = w.buf[:n]
	return n > there
}

// drop counts the lines of what goes.
func (w *window) drop(n int) {
	gone := w.data[:n]
	w.data = w.data[n:]
	w.column += n
	if last := bytes.LastIndexByte(gone, '\n'); last >= 0 {
		w.line += bytes.Count(gone, []byte("\n"))
		w.column = n - last - 1
	}
}

// fail ends the text before its end.
func (w *window) fail(err error) {
	w.in = nil
	if w.err == nil {
		w.err = err
	}
}

// place returns the line and column of an offset in data, both from 1.
func (w *window) place(at int) (line, column int) {
	line = w.line + 1 + bytes.Count(w.data[:at], []byte("\n"))
	column = at + 1
	if last := bytes.LastIndexByte(w.data[:at], '\n'); last >= 0 {
		return line, at - last
	}
	return line, w.column + column
}

// nextLine cuts a line off the front, without its end; there is none when the
// text ends.
func (w *window) nextLine() (text []byte, any bool) {
	end := bytes.IndexByte(w.data, '\n')
	for seen := len(w.data); end < 0 && seen <= MaxText && w.fill(0); seen = len(w.data) {
		if end = bytes.IndexByte(w.data[seen:], '\n'); end >= 0 {
			end += seen
		}
	}
	if end < 0 {
		text = w.data
		w.data = nil
		return text, len(text) > 0
	}
	text = w.data[:end]
	w.data = w.data[end+1:]
	return text, true
}

// Read implements io.Reader: it gives what follows.
func (w *window) Read(p []byte) (int, error) {
	if len(w.data) == 0 && !w.fill(0) {
		return 0, cmp.Or(w.err, io.EOF)
	}
	n := copy(p, w.data)
	w.data = w.data[n:]
	return n, nil
}
