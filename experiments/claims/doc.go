// Package claims holds marigram against what was published. A claim is one
// number; published.csv lists all of them with source, unit and tolerance. Its
// Origin says whether it is printed in a paper, from public code, a formula or a
// bound of ours, and Fitted that it is no prediction. The claims of one figure or
// table are computed together by a procedure, whose inputs are a spec of
// experiments/specs:
//
//	spec spotdnn/fig6.yaml ── procedure ──► values by claim ──┐
//	published.csv ── published, tolerance ────────────────────┴─► verdicts
//
// To add a figure: write specs/<system>/<figure>.yaml, a line of published.csv
// for each number (with an origin where it is not that of the spec), and a
// procedure in the file of its system, which the list in procedures.go names. A
// test holds that procedures report what the table claims, no less and no more.
package claims
