package process

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/marigram/marigram/policies/plugin"
)

// maxAnswer bounds the bytes of one answer.
const maxAnswer = 8 << 20

// strict reads JSON that has the keys of a value and no others.
func strict(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// viewsLine appends the line that asks for one plan, or for several.
func viewsLine(to []byte, all []*plugin.Question) (line []byte, err error) {
	if len(all) > 1 {
		to = append(to, `{"type":"decisions","views":[`...)
	}
	for i, q := range all {
		if i > 0 {
			to = append(to, ',')
		}
		to, err = q.View.AppendJSON(to)
		if err != nil {
			return nil, err
		}
	}
	if len(all) > 1 {
		to = append(to, "]}"...)
	}
	return append(to, '\n'), nil
}

// line is a message as a line.
func line(message any) ([]byte, error) {
	b, err := json.Marshal(message)
	return append(b, '\n'), err
}

// readLine reads a line of at most maxAnswer bytes. It is valid until the next is read.
func readLine(r *bufio.Reader) ([]byte, error) {
	var long []byte
	for {
		part, err := r.ReadSlice('\n')
		if err == nil && long == nil {
			return part, nil
		}
		long = append(long, part...)
		switch {
		case err == nil:
			return long, nil
		case err != bufio.ErrBufferFull:
			return nil, err
		case len(long) > maxAnswer:
			return nil, fmt.Errorf("an answer of more than %d bytes", maxAnswer)
		}
	}
}
