package claims

import (
	"fmt"
	"slices"

	"github.com/marigram/marigram/experiments/spec"
)

// Origin says what kind of source the number of a claim has. The spec of a figure
// states that of its numbers; a row of published.csv may state another.
type Origin string

// The origins.
const (
	Paper   Origin = "paper"   // printed in a publication
	Code    Origin = "code"    // from running the authors' public code, or from the data that they published
	Formula Origin = "formula" // a closed form or a constructed case, evaluated independently
	Bound   Origin = "bound"   // ours: what an error may be at most, or a speed at least; nobody published it
)

// Origins returns all origins in the order in which they are listed.
func Origins() []Origin { return []Origin{Paper, Code, Formula, Bound} }

// Text says in words what numbers of the origin are.
func (o Origin) Text() string {
	return map[Origin]string{
		Paper: "printed in papers", Code: "from authors' public code or data",
		Formula: "from formulas or constructed cases", Bound: "bounds of our own",
	}[o]
}

// originate gives claims without an origin of their own that of their figure.
func originate(list []Claim) error {
	of := map[string]Origin{}
	for i := range list {
		c := &list[i]
		figure := c.Figure()
		if _, known := of[figure]; !known {
			s, err := spec.OpenFigure(figure)
			if err != nil {
				return err
			}
			of[figure] = Origin(s.Origin)
		}
		if c.Origin == "" {
			c.Origin = of[figure]
		}
		if !slices.Contains(Origins(), c.Origin) {
			return fmt.Errorf("claim %q: origin %q, expected one of %v", c.Name, c.Origin, Origins())
		}
	}
	return nil
}

// Tally counts claims by verdict.
type Tally struct {
	Numbers int `json:"numbers"`
	Pass    int `json:"pass"`
	Fail    int `json:"fail"`
	Fitted  int `json:"fitted"`
	Open    int `json:"open"`
}

// Add counts a claim.
func (t *Tally) Add(v Verdict) {
	t.Numbers++
	switch v {
	case Pass:
		t.Pass++
	case Fail:
		t.Fail++
	case Fitted:
		t.Fitted++
	case Open:
		t.Open++
	}
}

// OriginTally is the tally of the claims of one origin.
type OriginTally struct {
	Origin Origin `json:"origin"`
	Tally
}

// Count tallies outcomes: all, and those of each origin that is there.
func Count(list []Outcome) (all Tally, by []OriginTally) {
	for _, origin := range Origins() {
		t := OriginTally{Origin: origin}
		for _, o := range list {
			if o.Origin == origin {
				t.Add(o.Verdict)
				all.Add(o.Verdict)
			}
		}
		if t.Numbers > 0 {
			by = append(by, t)
		}
	}
	return all, by
}
