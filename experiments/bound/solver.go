package bound

// solver finds clusters of one model.
type solver interface {
	// begins returns the ways in which training can begin.
	begins() []begin
	// cheapest returns a cluster with the least cost - lambda rate in a state, within the tolerance, if it is below
	// that of another; else that one. Nothing is a cluster. The second result is what no cluster is below.
	cheapest(s *state, lambda float64, other corner) (corner, float64)
	// fastest returns a cluster that makes the most progress, or nearly so, and what none makes more than.
	fastest(s *state) (corner, float64)
}

// begin is a way to begin: where the cluster that training is set up for says, and with no more instances than these
// until others have booted.
type begin struct {
	progress     float64 // at most
	maxInstances int     // until the first boot after training began; 0: any number
}

// tolerance is how much better than a solver's cluster another may be: a share of cost - lambda rate; rough is that of
// the fastest cluster. safety makes up for the rounding of sums.
const (
	tolerance = 2e-5
	rough     = 2e-4
	safety    = 1e-10
)
