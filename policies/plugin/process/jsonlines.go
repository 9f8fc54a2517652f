package process

import (
	"bufio"
	"encoding/json"
	"fmt"

	"github.com/marigram/marigram/policies/plugin"
	"github.com/marigram/marigram/policies/plugin/message"
)

// jsonLines is a JSON object a line.
type jsonLines struct {
	out  []byte
	rows bool // jobs and what they hold are lists of values
}

func (*jsonLines) begin(b *message.Begin) ([]byte, error) { return line(b) }

func (l *jsonLines) views(all []*plugin.Question) (line []byte, err error) {
	l.out = l.out[:0]
	if len(all) > 1 {
		l.out = append(l.out, `{"type":"decisions","views":[`...)
	}
	for i, q := range all {
		if i > 0 {
			l.out = append(l.out, ',')
		}
		if l.rows {
			l.out, err = q.View.AppendRows(l.out)
		} else {
			l.out, err = q.View.AppendJSON(l.out)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(all) > 1 {
		l.out = append(l.out, "]}"...)
	}
	l.out = append(l.out, '\n')
	return l.out, nil
}

func (*jsonLines) answer(a *message.Answer) ([]byte, error) { return line(a) }

func (*jsonLines) plan(reply []byte, _ *message.Plans) (*message.Plan, error) {
	p := new(message.Plan)
	return p, strict(reply, p)
}

func line(message any) ([]byte, error) {
	b, err := json.Marshal(message)
	return append(b, '\n'), err
}

// read reads a line of at most maxAnswer bytes.
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
		case len(long) > maxAnswer:
			return nil, fmt.Errorf("an answer of more than %d bytes", maxAnswer)
		}
	}
}
