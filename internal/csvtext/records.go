package csvtext

import (
	"bytes"
	"iter"
)

// MaxRecord is the longest record of several lines, in bytes. What is longer is a quote
// whose end is missing: it must not take the rest of a file into memory.
const MaxRecord = 64 << 10

// Records joins lines to records: a line goes on in the next where a field between quotes
// does. The lines are numbered and without their ends, which a record has as "\n" each,
// whatever they were; a record has the number of its first line. A record that grows
// beyond MaxRecord, or that the text ends in, is yielded as far as it goes: Split then says
// where the quote is that has no end.
func Records(lines iter.Seq2[int, []byte]) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		var begun []byte // a record whose end has not come
		first := 0
		for n, line := range lines {
			goesOn := false
			switch {
			case begun != nil:
				goesOn = open(line, true)
				begun = append(append(begun, '\n'), line...)
			case open(line, false):
				goesOn, first = true, n
				begun = append(begun, line...)
			default:
				if !yield(n, string(line)) {
					return
				}
				continue
			}
			if goesOn && len(begun) <= MaxRecord {
				continue
			}
			if !yield(first, string(begun)) {
				return
			}
			begun = nil
		}
		if begun != nil {
			yield(first, string(begun))
		}
	}
}

// open reports whether a field between quotes goes on behind a line, which begins within
// such a field or not.
func open(line []byte, within bool) bool {
	for {
		if !within {
			if bytes.IndexByte(line, '"') < 0 { // as most are
				return false
			}
			if line = bytes.TrimLeft(line, blanks); line[0] != '"' {
				var more bool
				if _, line, more = bytes.Cut(line, []byte(",")); !more {
					return false
				}
				continue
			}
			line = line[1:]
		}
		end := bytes.IndexByte(line, '"')
		if end < 0 {
			return true
		}
		line = line[end+1:]
		if within = len(line) > 0 && line[0] == '"'; within { // two of them stand for one
			line = line[1:]
			continue
		}
		_, line, _ = bytes.Cut(line, []byte(","))
	}
}
