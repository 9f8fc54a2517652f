package papers

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path"
	"time"

	"github.com/marigram/marigram/internal/near"
)

// Verdict is what became of a claim.
type Verdict string

// The verdicts.
const (
	Pass   Verdict = "pass"   // the error is within the tolerance
	Fail   Verdict = "fail"   // it is not, or no number could be had
	Fitted Verdict = "fitted" // it is, of a number that was fitted to or is an input: no prediction
	Open   Verdict = "open"   // it is not claimed, for the reason that the table gives

	Missing Verdict = "not pulled" // it is not computed: its recorded trace is not in the cache
)

// Outcome is a claim with what marigram makes of it; its JSON form is what
// marigram reproduce --json prints.
type Outcome struct {
	Name      string   `json:"name"`
	Source    string   `json:"source"`
	Origin    Origin   `json:"origin"`
	Published float64  `json:"published"`
	Simulated *float64 `json:"simulated"` // nil: none could be had
	Unit      string   `json:"unit"`
	Error     *float64 `json:"error"` // in the sense of Kind
	Tolerance float64  `json:"tolerance"`
	Basis     Basis    `json:"tolerance_from,omitempty"`
	Kind      Kind     `json:"kind"`
	Verdict   Verdict  `json:"verdict"`
	Seconds   float64  `json:"seconds"` // wall clock of the figure that the claim belongs to
	Reason    string   `json:"reason,omitempty"`
	Note      string   `json:"note,omitempty"` // what the two numbers are of, where they do not say it

	Claim Claim `json:"-"`
}

// Run reproduces the figures of the claims, one after the other, and returns an
// outcome for each claim in their order. before, if it is not nil, is called
// with the name of each figure. The only error is that of ctx.
func Run(ctx context.Context, list []Claim, before func(figure string)) ([]Outcome, error) {
	type figure struct {
		*Figure
		err     error
		seconds float64
	}
	figures := map[string]*figure{}
	var out []Outcome
	for _, c := range list {
		f := figures[c.Figure()]
		if f == nil {
			if before != nil {
				before(c.Figure())
			}
			start := time.Now()
			f = &figure{}
			f.Figure, f.err = reproduce(ctx, c.Figure())
			f.seconds = math.Round(time.Since(start).Seconds()*1e3) / 1e3
			figures[c.Figure()] = f
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		item := path.Base(c.Name)
		value, has := f.values[item]
		if !has {
			value = math.NaN()
			if f.err == nil {
				f.err = fmt.Errorf("%s reports no number for it", c.Figure())
			}
		}
		o := judge(c, value, f.err)
		o.Seconds, o.Note = f.seconds, f.notes[item]
		out = append(out, o)
	}
	return out, nil
}

// judge compares a number with its claim; NaN is none, for the reason in err.
func judge(c Claim, value float64, err error) Outcome {
	o := Outcome{
		Name: c.Name, Source: c.Source, Origin: c.Origin, Published: c.Published, Unit: c.Unit, Kind: c.Kind,
		Tolerance: c.Tolerance, Basis: c.Basis, Verdict: Fail, Reason: c.Open, Claim: c,
	}
	if e := c.Error(value); !math.IsNaN(e) {
		o.Simulated, o.Error = &value, &e
		if near.Between(e, 0, c.Tolerance) {
			o.Verdict = Pass
			if c.Fitted {
				o.Verdict = Fitted
			}
		}
	} else if o.Reason == "" && err != nil {
		o.Reason = err.Error()
	}
	if c.Open != "" {
		o.Verdict = Open
	} else if errors.As(err, &NotPulled{}) {
		o.Verdict = Missing
	}
	return o
}

// Missed returns how many claims failed.
func Missed(list []Outcome) int {
	n := 0
	for _, o := range list {
		if o.Verdict == Fail {
			n++
		}
	}
	return n
}
