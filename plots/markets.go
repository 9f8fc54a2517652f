package plots

import (
	"iter"
	"slices"
	"strings"

	"github.com/marigram/marigram/plots/canvas"
)

// Markets names the market of runs, or says that there are several, and if one of
// them was not recorded.
func Markets(names iter.Seq[string]) string {
	var all []string
	for name := range names {
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	switch {
	case len(all) == 1:
		return market(all[0])
	case slices.ContainsFunc(all, synthetic):
		return "several markets, some SYNTHETIC"
	}
	return "several markets"
}

// market names the market and says so when it was not recorded.
func market(name string) string {
	if strings.EqualFold(name, "synthetic") {
		return "SYNTHETIC market"
	}
	if synthetic(name) {
		return "SYNTHETIC market " + canvas.Label(name, 60)
	}
	return "market " + canvas.Label(name, 60)
}

func synthetic(market string) bool { return strings.Contains(strings.ToLower(market), "synthetic") }
