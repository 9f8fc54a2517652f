package report

import (
	"fmt"
	"strings"

	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/internal/format"
)

// Cells of tables, for the templates.

func fixed(x float64) string { return fmt.Sprintf("%.3f", x) }

// hours prints seconds as hours.
func hours(s float64) string { return fixed(s / 3600) }

func optionalHours(s *float64) string {
	if s == nil {
		return "none"
	}
	return hours(*s)
}

// usdInterval and hourInterval print the interval of a mean, nil where there is none.
func usdInterval(ci *intervals.Interval) string { return interval(ci, format.USD) }

func hourInterval(ci *intervals.Interval) string { return interval(ci, hours) }

func interval(ci *intervals.Interval, print func(float64) string) string {
	if ci == nil {
		return "none"
	}
	return print(ci.Low) + " to " + print(ci.High)
}

// byHowMuch says by how much the row's runs met the objective or missed it.
func (r *row) byHowMuch() string {
	var parts []string
	if r.LateS.N > 0 {
		parts = append(parts, fmt.Sprintf("%d late by %s on average, %s at most", r.LateS.N, span(r.LateS.Mean()), span(r.LateS.Max)))
	}
	if n := r.Unfinished(); n > 0 {
		parts = append(parts, fmt.Sprintf("%d not finished by the horizon", n))
	}
	if r.SpareS.N > 0 {
		others := ""
		if r.Met < r.N {
			others = "the others "
		}
		parts = append(parts, others+"with "+span(r.SpareS.Mean())+" to spare")
	}
	return strings.Join(parts, "; ")
}
