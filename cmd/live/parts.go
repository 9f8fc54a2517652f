package live

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/results"
)

// Part is what a part of the runs came to.
type Part struct {
	Rows     []results.Summary
	Warnings []string
}

// Bytes returns the flat form of a part: a tenth of the time that JSON takes.
func (p *Part) Bytes() []byte { return put(nil, reflect.ValueOf(p).Elem()) }

// ReadPart reads what Bytes returned.
func ReadPart(b []byte) (*Part, error) {
	r, p := reader{b: b}, &Part{}
	if r.read(reflect.ValueOf(p).Elem()); r.err != nil {
		return nil, r.err
	}
	return p, nil
}

// Result is what all runs came to.
type Result struct {
	Table    string   `json:"table"` // as marigram run prints it
	Runs     int      `json:"runs"`
	Warnings []string `json:"warnings"`
}

// Join makes the table of all parts.
func Join(parts []*Part) (*Result, error) {
	out := &Result{}
	var rows []results.Summary
	for _, p := range parts {
		rows = append(rows, p.Rows...)
		out.Warnings = p.Warnings // the same of all
	}
	slices.SortFunc(rows, func(a, b results.Summary) int { return cmp.Compare(a.Run, b.Run) })
	out.Runs = len(rows)
	var text strings.Builder
	term.Aggregates(&text, experiments.Aggregates(rows))
	out.Table = text.String()
	return out, nil
}
