// Package policies holds the policies that marigram ships, and the list by which
// specs, sweeps, reports and the command line know them.
//
// Start with reactive.go: a policy, its settings and its registration in one file.
// docs/write-a-policy.md has a complete policy with its test. Register adds a policy, from
// this tree or from a module of your own; Setting says what a field of it has to be
// so that specs can set it; Needs says which models it works with.
package policies
