package claims

// For tests that need the procedures, which import this package.
var (
	Reproduce = reproduce
	Judge     = judge
	Timed     = (*Claim).timed
)

// Values returns the numbers that were reported, by item.
func (f *Figure) Values() map[string]float64 { return f.values }
