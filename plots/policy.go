package plots

import (
	"fmt"
	"iter"
	"math"
	"strings"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/plots/canvas"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// PolicyResult is how a policy does for an objective. Every figure of costs shows it: one
// that misses the objective is drawn faded and hollow, with the share of its runs that
// met it, so that nobody takes its low cost for an answer.
type PolicyResult struct {
	Policy string
	Oracle bool    // knows the future, or how long jobs run
	Met    float64 // share of the runs that met the objective, 0 to 1
	// ManyJobs: the runs are of many jobs, where an oracle knows their durations, no more.
	ManyJobs bool
	Misses   bool // it meets the objective less often than was asked for

	styles canvas.Styles // of those that are drawn together
}

// tellApart gives policies that are drawn together styles that differ.
func tellApart(all iter.Seq[*PolicyResult]) {
	var names []string
	for one := range all {
		names = append(names, one.Policy)
	}
	styles := canvas.Apart(names)
	for one := range all {
		one.styles = styles
	}
}

// inPanels are the policies of panels.
func inPanels[P, R any](panels []P, of func(*P) []R, result func(*R) *PolicyResult) iter.Seq[*PolicyResult] {
	return func(yield func(*PolicyResult) bool) {
		for i := range panels {
			rows := of(&panels[i])
			for k := range rows {
				if !yield(result(&rows[k])) {
					return
				}
			}
		}
	}
}

// text names the policy, with what keeps it from being an answer.
func (p *PolicyResult) text() string {
	text := canvas.Label(p.Policy, 30) + knows(p.Oracle, p.ManyJobs)
	if p.Misses {
		text += ", met " + units.Percent(p.Met)
	}
	return text
}

// knows says what an oracle knows; empty of others.
func knows(oracle, manyJobs bool) string {
	switch {
	case oracle && manyJobs:
		return " (knows durations)"
	case oracle:
		return " (knows the future)"
	}
	return ""
}

// line is the style of the policy's lines.
func (p *PolicyResult) line() draw.LineStyle {
	own := p.styles.Of(p.Policy)
	style := own.Line()
	if p.Misses {
		style.Color = canvas.Faded(own.Color)
	}
	return style
}

// point is the policy's point, of some radius.
func (p *PolicyResult) point(radius vg.Length) *draw.GlyphStyle {
	own := p.styles.Of(p.Policy)
	style := &draw.GlyphStyle{Color: own.Color, Radius: radius, Shape: canvas.Ringed{Shape: own.Shape}}
	if p.Misses {
		style.Color = canvas.Faded(own.Color)
		style.Shape = canvas.Hollow{Shape: own.Shape}
	}
	return style
}

// named is the policy whether or not it misses.
func (p *PolicyResult) named() PolicyResult {
	return PolicyResult{Policy: p.Policy, Oracle: p.Oracle, ManyJobs: p.ManyJobs, styles: p.styles}
}

// key names the policy, with its line and point, whether or not it misses.
func (p *PolicyResult) key() canvas.Key {
	named := p.named()
	line := named.line()
	return canvas.Key{Text: named.text(), Line: &line, Glyph: named.point(2.7)}
}

// missesKey says what is drawn hollow.
func missesKey() canvas.Key {
	return canvas.Key{Text: "misses the objective", Glyph: &draw.GlyphStyle{Color: canvas.Faded(canvas.Grey), Radius: 3,
		Shape: canvas.Hollow{Shape: canvas.GreyDot.Shape}}}
}

// missing names those that miss the objective, with how often they met it; empty if
// none does.
func missing(all []*PolicyResult) string {
	var texts []string
	for _, policy := range all {
		if policy.Misses {
			texts = append(texts, canvas.Label(policy.Policy, 30)+" "+units.Percent(policy.Met))
		}
	}
	if texts == nil {
		return ""
	}
	return "miss the objective, met in: " + strings.Join(texts, ", ")
}

// maxNumber is the largest number that is drawn: beyond it something is wrong.
const maxNumber = 1e12

// drawable reports whether a number is one from 0 to maxNumber.
func drawable(v float64) bool { return v >= 0 && v <= maxNumber }

// drawableSigned is drawable of numbers that may be below 0.
func drawableSigned(v float64) bool { return drawable(math.Abs(v)) }

// isShare reports whether a number is one from 0 to 1.
func isShare(v float64) bool { return v >= 0 && v <= 1 }

// extent is the range of some numbers.
type extent struct{ low, high float64 }

// noExtent is the extent of no number.
func noExtent() extent { return extent{math.Inf(1), math.Inf(-1)} }

// include widens the range to some numbers more.
func (e *extent) include(numbers ...float64) {
	for _, v := range numbers {
		e.low = min(e.low, v)
		e.high = max(e.high, v)
	}
}

func (e extent) width() float64 { return e.high - e.low }

// checkInterval refuses an interval that cannot be drawn; one of two that are not a number is none.
func checkInterval(low, high float64) error {
	if math.IsNaN(low) && math.IsNaN(high) {
		return nil
	}
	if !drawableSigned(low) || !drawableSigned(high) || low > high {
		return fmt.Errorf("interval %v to %v, want ascending numbers up to %g", low, high, maxNumber)
	}
	return nil
}

// checkSummary refuses a run whose numbers cannot be drawn.
func checkSummary(s *results.Summary) error {
	var err error
	switch {
	case !drawable(s.CostUSD):
		err = fmt.Errorf("cost_usd is %v, want 0 to %g", s.CostUSD, maxNumber)
	case !drawable(s.ObjectiveS) || s.ObjectiveS < 1e-3:
		err = fmt.Errorf("objective_s is %v, want 0.001 to %g", s.ObjectiveS, maxNumber)
	case s.Finished != (s.FinishS != nil):
		err = fmt.Errorf("finished is %v, but finish_s is not accordingly", s.Finished)
	case s.Finished && (!drawable(*s.FinishS) || !drawable(*s.FinishS/s.ObjectiveS)):
		err = fmt.Errorf("finish_s is %v, want 0 to %g", *s.FinishS, maxNumber)
	}
	if err != nil {
		return fmt.Errorf("plots: run %d (%s, %s): %w", s.Run, s.Policy, s.Objective, err)
	}
	return nil
}
