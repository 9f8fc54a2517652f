package process

import (
	"bufio"
	"encoding/json"
	"fmt"

	"github.com/marigram/marigram/policies/external/message"
)

// jsonLines is a JSON object a line.
type jsonLines struct{ out []byte }

func (*jsonLines) begin(b *message.Begin) ([]byte, error) { return line(b) }

func (l *jsonLines) view(v *message.View) (line []byte, err error) {
	l.out, err = v.AppendJSON(l.out[:0])
	l.out = append(l.out, '\n')
	return l.out, err
}

func (*jsonLines) answer(a *message.Answer) ([]byte, error) { return line(a) }

func (*jsonLines) plan(reply []byte) (*message.Plan, error) {
	p := new(message.Plan)
	return p, strict(reply, p)
}

func line(message any) ([]byte, error) {
	b, err := json.Marshal(message)
	return append(b, '\n'), err
}

// read reads a line of at most mostAnswer bytes.
func (*jsonLines) read(r *bufio.Reader) ([]byte, error) {
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
		case len(long) > mostAnswer:
			return nil, fmt.Errorf("an answer of more than %d bytes", mostAnswer)
		}
	}
}
