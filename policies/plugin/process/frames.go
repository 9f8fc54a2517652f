package process

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/marigram/marigram/policies/plugin"
	"github.com/marigram/marigram/policies/plugin/message"
)

// frames is the flat form: the length of a message, 4 bytes little-endian, and the message.
type frames struct{ out, in []byte }

func (f *frames) begin(b *message.Begin) ([]byte, error) { return f.frame(b), nil }

func (f *frames) views(all []*plugin.Question) ([]byte, error) {
	f.out = append(f.out[:0], 0, 0, 0, 0)
	if len(all) > 1 {
		f.out = message.AppendDecisions(f.out, len(all))
	}
	for _, q := range all {
		f.out = q.View.AppendFlat(f.out)
	}
	return f.sized(), nil
}

func (f *frames) answer(a *message.Answer) ([]byte, error) { return f.frame(a), nil }

func (f *frames) plan(reply []byte, into *message.Plans) (*message.Plan, error) {
	return into.Parse(reply)
}

func (f *frames) frame(message interface{ AppendFlat(to []byte) []byte }) []byte {
	f.out = message.AppendFlat(append(f.out[:0], 0, 0, 0, 0))
	return f.sized()
}

// sized writes the length of a message before it.
func (f *frames) sized() []byte {
	binary.LittleEndian.PutUint32(f.out, uint32(len(f.out)-4))
	return f.out
}

func (f *frames) read(r *bufio.Reader) ([]byte, error) {
	var size [4]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint32(size[:])
	if n > maxAnswer {
		return nil, fmt.Errorf("an answer of %d bytes, expected at most %d", n, maxAnswer)
	}
	f.in = slices.Grow(f.in[:0], int(n))[:n]
	_, err := io.ReadFull(r, f.in)
	return f.in, err
}

// codec is a form of the messages.
type codec interface {
	begin(b *message.Begin) ([]byte, error)
	views(all []*plugin.Question) ([]byte, error) // one alone, or several in one message
	answer(a *message.Answer) ([]byte, error)
	read(r *bufio.Reader) ([]byte, error)
	plan(reply []byte, into *message.Plans) (*message.Plan, error)
}

// maxAnswer bounds the bytes of one answer.
const maxAnswer = 8 << 20

// strict reads JSON that has the keys of a value and no others.
func strict(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

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
