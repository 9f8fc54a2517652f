// Package rules has the rules of this repository that no linter knows, as tests: which packages may import which, how
// numbers are compared in tests, where recorded rows come from, and how long a line may be.
package rules
