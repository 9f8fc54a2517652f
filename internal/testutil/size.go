package testutil

import "flag"

var full = flag.Bool("full", false, "tests of many cases have all of them (make suites), not the part that make test has")

// Size is the number of cases of a test: a part, or all with -args -full.
func Size(part, all int) int {
	if *full {
		return all
	}
	return part
}
