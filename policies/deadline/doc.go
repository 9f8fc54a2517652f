// Package deadline holds the policies of "Can't Be Late" (Wu et al., NSDI 2024),
// which train on one instance type and move to on demand when a deadline is near:
// Greedy, TimeSliced and UniformProgress. Their rules (State) can be asked alone, as
// the paper's simulator does; Instances says how many instances they take.
package deadline
