package formats

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/marigram/marigram/traces"
)

// addNotice adds a warning, once for every ID. How long before the end it came
// is not recorded by any of its sources.
func (b *build) addNotice(c *cursor, id string, r traces.InstanceEventRow) {
	b.report.Rows++
	if b.again(id) {
		return
	}
	r.SrcFile, r.SrcRow, r.Origin, r.Reason = c.src.index, int64(c.line()), traces.OriginAPI, "unknown"
	b.set.InstanceEvents = append(b.set.InstanceEvents, r)
}

// tally counts things by kind, the first few kinds by their names.
type tally map[string]int

func (t tally) add(kind string) {
	if _, known := t[kind]; !known && len(t) >= 16 {
		kind = "of other kinds"
	}
	t[kind]++
}

// noteCounts notes how many things of which kind were passed over.
func (b *build) noteCounts(s *source, what string, counts tally) {
	var parts []string
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%d %s", counts[kind], quote(kind)))
	}
	if len(parts) > 0 {
		b.notef("%s: %s, passed over: %s", s.base(), what, strings.Join(parts, ", "))
	}
}

// noteFirst notes the first few of the texts, and of how many more what is
// true.
func (b *build) noteFirst(s *source, texts []string, what string) {
	const shown = 8
	for _, text := range texts[:min(len(texts), shown)] {
		b.notef("%s", text)
	}
	if more := len(texts) - shown; more > 0 {
		b.notef("%s: %d more %s", s.base(), more, what)
	}
}
