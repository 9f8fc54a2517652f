package process

import (
	"bufio"
	"bytes"
	"encoding/json"

	"github.com/marigram/marigram/policies/plugin"
	"github.com/marigram/marigram/policies/plugin/message"
)

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
