package report

import "github.com/marigram/marigram/cmd/internal/cli"

// flags say what a page is about, and where it is written.
type flags struct {
	cli.Selection
	out   string
	allow bool    // the commands of policies, where runs are simulated again
	live  string  // folder of a page with sliders; empty: none
	spec  string  // of that page
	run   []int64 // of a sweep, that are shown over their time
}
