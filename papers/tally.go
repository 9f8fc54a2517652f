package papers

import "slices"

// Tally counts claims by verdict.
type Tally struct {
	Numbers int `json:"numbers"`
	Pass    int `json:"pass"`
	Fail    int `json:"fail"`
	Fitted  int `json:"fitted"`
	Open    int `json:"open"`
	Missing int `json:"not_pulled"`
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
	case Missing:
		t.Missing++
	}
}

// Tabled returns the verdict that a claim has where everything is computed and nothing fails: by its table.
func Tabled(c *Claim) Verdict {
	switch {
	case c.Open != "":
		return Open
	case c.Fitted:
		return Fitted
	}
	return Pass
}

// BasisCount is how many claims have a tolerance from somewhere; "" is none.
type BasisCount struct {
	Basis Basis
	N     int
}

// CountBases counts claims by where their tolerances come from, those without one first.
func CountBases(list []Claim) []BasisCount {
	out := []BasisCount{{}}
	for _, b := range bases() {
		out = append(out, BasisCount{Basis: b})
	}
	for _, c := range list {
		for i := range out {
			if out[i].Basis == c.Basis {
				out[i].N++
			}
		}
	}
	return out
}

// OriginTally is the tally of the claims that are counted under one origin.
type OriginTally struct {
	Origin Origin `json:"origin"`
	Tally
}

// Ordered returns the outcomes in the order of the origins that they are counted under,
// and within one as they were.
func Ordered(list []Outcome) []Outcome {
	place := func(o Outcome) int { return slices.Index(origins(), o.Claim.Counted()) }
	out := slices.Clone(list)
	slices.SortStableFunc(out, func(a, b Outcome) int { return place(a) - place(b) })
	return out
}

// Count tallies outcomes: all, and those counted under each origin that is there.
func Count(list []Outcome) (all Tally, by []OriginTally) {
	for _, origin := range origins() {
		t := OriginTally{Origin: origin}
		for _, o := range list {
			if o.Claim.Counted() == origin {
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
