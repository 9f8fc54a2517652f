package formats

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats/read"
)

// AddNotice adds a warning, once for every ID. How long before the end it came
// is not recorded by any of its sources.
func (b *Builder) AddNotice(c *read.Cursor, id string, r traces.InstanceEventRow) {
	if b.Again(id) {
		return
	}
	r.SrcFile = c.Source.Index
	r.SrcRow = int64(c.Line())
	r.Origin = traces.OriginAPI
	r.Reason = "unknown"
	b.AddEvents(r)
}

// Tally counts things by kind, the first few kinds by their names.
type Tally map[string]int

// Add counts one of a kind.
func (t Tally) Add(kind string) {
	if _, known := t[kind]; !known && len(t) >= 16 {
		kind = "of other kinds"
	}
	t[kind]++
}

// NoteCounts notes how many things of which kind were ignored.
func (b *Builder) NoteCounts(s *read.Source, what string, counts Tally) {
	var parts []string
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%d %s", counts[kind], read.Quote(kind)))
	}
	if len(parts) > 0 {
		b.Notef("%s: %s, ignored: %s", s.Base(), what, strings.Join(parts, ", "))
	}
}

// NoteFirst notes the first few of the texts, and of how many more what is
// true.
func (b *Builder) NoteFirst(s *read.Source, texts []string, what string) {
	const shown = 8
	for _, text := range texts[:min(len(texts), shown)] {
		b.Notef("%s", text)
	}
	if more := len(texts) - shown; more > 0 {
		b.Notef("%s: %d more %s", s.Base(), more, what)
	}
}
