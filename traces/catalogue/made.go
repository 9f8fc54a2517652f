package catalogue

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
)

// matches reports whether a set was made of the entry's files, by the importer and
// the options of this program.
func (e *Entry) matches(s *traces.Set) bool {
	m := &s.Manifest
	format, err := formats.Named(m.Importer.Name)
	if err != nil || format.Version != m.Importer.Version || e.format != "" && e.format != m.Importer.Name {
		return false
	}
	var want, have []string
	for _, f := range e.Files {
		want = append(want, f.SHA256)
	}
	for _, f := range m.Source.Files {
		have = append(have, f.SHA256)
	}
	slices.Sort(want)
	slices.Sort(have)
	a, errA := json.Marshal(e.importOptions())
	b, errB := json.Marshal(m.Importer.Options)
	return slices.Equal(want, have) && errA == nil && errB == nil && bytes.Equal(a, b)
}
