package claims

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

// origins returns all origins in the order in which they are listed.
func origins() []Origin { return []Origin{Paper, Code, Formula, Bound} }

// Text says in words what numbers of the origin are.
func (o Origin) Text() string {
	return map[Origin]string{
		Paper: "printed in papers", Code: "from authors' public code or data",
		Formula: "from formulas or constructed cases", Bound: "bounds of our own",
	}[o]
}
