// Package claims compares marigram with published numbers. A claim is one number;
// published.csv lists all of them with source, unit and tolerance. Its Origin says
// whether it is printed in a paper, from public code, from a formula or a bound of
// ours; Fitted marks numbers that are no prediction. The claims of one figure or table
// are computed together by a procedure, whose inputs are a spec of experiments/specs:
//
//	spec spotdnn/fig6.yaml ── procedure ──► values by claim ──┐
//	published.csv ── published, tolerance ────────────────────┴─► verdicts
//
// Start with Select and Run; import package claims/all, which registers the
// procedures. They are in a package for each system, below this one.
//
// To add a claim to a figure: a line of published.csv, and a Report of its number in
// the figure's procedure. To add a figure: its spec, experiments/specs/SYSTEM/FIGURE.yaml;
// a line of published.csv for each number; and a procedure, which its file registers
// (Register) by the name that the spec gives. A new system is a new package, imported
// by claims/all. Tests check that procedures report what the table claims, no less
// and no more.
package claims
