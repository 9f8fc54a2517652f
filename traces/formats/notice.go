package formats

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/marigram/marigram/traces"
)

// AddNotice adds a warning, once for every ID. How long before the end it came
// is not recorded by any of its sources.
func (b *Builder) AddNotice(c *cursor, id string, r traces.InstanceEventRow) {
	if b.Again(id) {
		return
	}
	r.SrcFile, r.SrcRow, r.Origin, r.Reason = c.src.index, int64(c.line()), traces.OriginAPI, "unknown"
	b.AddEvents(r)
}

// tally counts things by kind, the first few kinds by their names.
type tally map[string]int

func (t tally) add(kind string) {
	if _, known := t[kind]; !known && len(t) >= 16 {
		kind = "of other kinds"
	}
	t[kind]++
}

// NoteCounts notes how many things of which kind were passed over.
func (b *Builder) NoteCounts(s *source, what string, counts tally) {
	var parts []string
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%d %s", counts[kind], quote(kind)))
	}
	if len(parts) > 0 {
		b.Notef("%s: %s, passed over: %s", s.base(), what, strings.Join(parts, ", "))
	}
}

// NoteFirst notes the first few of the texts, and of how many more what is
// true.
func (b *Builder) NoteFirst(s *source, texts []string, what string) {
	const shown = 8
	for _, text := range texts[:min(len(texts), shown)] {
		b.Notef("%s", text)
	}
	if more := len(texts) - shown; more > 0 {
		b.Notef("%s: %d more %s", s.base(), more, what)
	}
}
