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

// formats are the codecs by the names that a greeting can have (message.Formats).
var formats = map[string]func() codec{
	"":       func() codec { return new(jsonLines) },
	"json":   func() codec { return new(jsonLines) },
	"rows":   func() codec { return &jsonLines{rows: true} },
	"binary": func() codec { return new(frames) },
}

// maxAnswer bounds the bytes of one answer.
const maxAnswer = 8 << 20

// strict reads JSON that has the keys of a value and no others.
func strict(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(into)
}
