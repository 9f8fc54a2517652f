package plots

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/marigram/marigram/plots/canvas"
	"gonum.org/v1/plot/vg"
)

// maxTitle is the length of a panel's title, in as many lines as it needs.
const maxTitle = 160

// titles makes the titles of panels that stand next to each other, of some width: what
// all of them say is left out and returned, for the figure to say, and the rest is
// broken into lines, so that it is read whole. Two that differ stay different.
func titles(all []string, width vg.Length) (panels []string, common string) {
	all, common = withoutCommon(all)
	all = distinct(all, maxTitle)
	style := canvas.TextStyle(canvas.TextSize)
	out := make([]string, len(all))
	for i, title := range all {
		out[i] = strings.Join(canvas.Wrap(title, width, style.Width), "\n")
	}
	return out, common
}

// withoutCommon leaves out the parts, between commas, that all titles have.
func withoutCommon(all []string) (rest []string, left string) {
	if len(all) < 2 {
		return all, ""
	}
	parts := make([][]string, len(all))
	for i, title := range all {
		parts[i] = strings.Split(title, ", ")
	}
	common := func(part string) bool {
		return !slices.ContainsFunc(parts, func(p []string) bool { return !slices.Contains(p, part) })
	}
	out := make([]string, len(all))
	for i := range parts {
		own := slices.DeleteFunc(slices.Clone(parts[i]), common)
		if len(own) == 0 {
			return all, ""
		}
		out[i] = strings.Join(own, ", ")
	}
	return out, strings.Join(slices.DeleteFunc(parts[0], func(part string) bool { return !common(part) }), ", ")
}

// alsoSays adds to what a figure says of itself what its panels have in common.
func alsoSays(about, common string) string {
	if common == "" {
		return canvas.Label(about, canvas.MaxAbout)
	}
	return canvas.Label(about+"; "+common, canvas.MaxAbout)
}

// distinct makes labels of at most limit characters of texts from outside. Those
// that are longer are cut in their middle; those that would be the same and are not
// are numbered.
func distinct(all []string, limit int) []string {
	out := make([]string, len(all))
	first := map[string]string{}
	for i, text := range all {
		cut := middle(canvas.Label(text, 1<<20), limit)
		for n := 2; ; n++ {
			if was, taken := first[cut]; !taken || was == text {
				break
			}
			number := fmt.Sprintf(" (%d)", n)
			cut = middle(canvas.Label(text, 1<<20), limit-len(number)) + number
		}
		first[cut], out[i] = text, cut
	}
	return out
}

// middle cuts what is too much out of the middle of a text.
func middle(text string, limit int) string {
	runes := []rune(text)
	if len(runes) <= limit {
		return text
	}
	head := limit / 2
	return string(runes[:head]) + "…" + string(runes[len(runes)-(limit-head-1):])
}

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
