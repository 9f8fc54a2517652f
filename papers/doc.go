// Package papers compares marigram with published numbers. Each system has a folder here: a
// package that registers a [Paper], and beside its code everything that it needs.
//
//	papers/SYSTEM/README.md         the paper: what is reproduced, what is not, and why
//	papers/SYSTEM/published.csv     its claims: one published number each
//	papers/SYSTEM/FIGURE.yaml       the spec of a figure or table: its procedure and inputs
//	papers/SYSTEM/TABLE.csv         published tables that only its claims read
//	papers/SYSTEM/*.go              the procedures, registered with the paper
//	papers/SYSTEM/reference/        the rules of its public simulator
//	papers/SYSTEM/NAME/             policies, schedulers or models that specs know by name, see papers/extensions
//	papers/SYSTEM/testdata/         recorded rows that tests compare with; SOURCE says what computed them
//	papers/SYSTEM/sensitivity.csv   what the claims notice; make -C tools sensitivity writes it
//
// A procedure computes the claims of one figure or table together:
//
//	FIGURE.yaml   ── procedure ──► values by claim ──┐
//	published.csv ── published, tolerance ───────────┴─► verdicts
//
// Start with Select and Run, and import package papers/all, which registers every paper.
// Only marigram reproduce imports papers: no policy, model or command of the product depends on one.
//
// Policies, schedulers and models that only a paper's comparison needs are packages below papers/SYSTEM that register
// themselves under the names by which specs know them (policies.Register). Package papers/extensions imports them all,
// and the program imports that.
//
// To add a claim to a figure: a row of published.csv, and a Report of its number in the
// figure's procedure. To add a figure: its spec, a row for each number, and a procedure in
// the paper's Procedures under the name that the spec gives. A new system is a new folder,
// imported by papers/all. Tests check that procedures report what the table claims, no less
// and no more.
package papers
