package spec

import (
	"github.com/marigram/marigram/experiments/model"
	"github.com/marigram/marigram/experiments/spec/cluster"
	"github.com/marigram/marigram/internal/fields"
)

// Model says how the job trains: as one of the registered kinds has it; or how each of many jobs does.
type Model struct {
	Kind model.Section `json:"-"` // the keys of the registered kinds

	Gang *cluster.Gang `json:"gang,omitempty" needs:"/jobs" excludes:"*" jsonschema:"how each of many jobs trains (jobs): all its GPUs at once; excludes the other keys"`
}

// UnmarshalYAML decodes the keys of the struct and those of the registered kinds.
func (m *Model) UnmarshalYAML(decode func(any) error) error { return fields.Decode(m, decode) }
