package papers

// Origin says what kind of source the number of a claim has. The spec of a figure
// states that of its numbers; a row of published.csv may state another.
type Origin string

// The origins.
const (
	Printed Origin = "paper"   // printed in a publication
	Code    Origin = "code"    // from running the authors' public code, or from the data that they published
	Formula Origin = "formula" // a closed form, evaluated independently
	Bound   Origin = "bound"   // ours: what an error may be at most, or a speed at least; nobody published it

	Constructed Origin = "constructed" // a case made up to check arithmetic

	// Zero counts apart what would say little in the tally of any origin: see Claim.Counted.
	Zero Origin = "zero"
)

// origins returns all origins in the order in which they are counted and shown: what is
// printed first, zeros and constructed cases last.
func origins() []Origin { return []Origin{Printed, Code, Formula, Bound, Zero, Constructed} }

// Text says in words what numbers of the origin are.
func (o Origin) Text() string {
	return map[Origin]string{
		Printed: "printed in papers", Code: "from authors' public code or data",
		Formula: "from formulas", Bound: "bounds of our own", Zero: "of value 0", Constructed: "constructed cases",
	}[o]
}
