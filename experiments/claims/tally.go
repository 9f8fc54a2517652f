package claims

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
	for _, origin := range origins() {
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
