package process

import (
	"bufio"
	"bytes"
	"encoding/json"

	"github.com/marigram/marigram/policies/external/message"
)

// codec is a form of the messages.
type codec interface {
	begin(b *message.Begin) ([]byte, error)
	view(v *message.View) ([]byte, error)
	answer(a *message.Answer) ([]byte, error)
	read(r *bufio.Reader) ([]byte, error)
	plan(reply []byte) (*message.Plan, error)
}

// mostAnswer bounds the bytes of one answer.
const mostAnswer = 8 << 20

// strict reads JSON that has the keys of a value and no others.
func strict(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(into)
}
