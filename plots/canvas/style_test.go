package canvas

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"testing"

	"github.com/marigram/marigram/internal/near"
	_ "github.com/marigram/marigram/papers/extensions"
	"github.com/marigram/marigram/policies"
)

// Every policy that is shipped has a style of its own, and none shifts: what was
// published in one figure is found in the next.
func TestStyles(t *testing.T) {
	seen := map[string]string{}
	for _, name := range append(policies.Names(), "parcae-robust", "a policy of one's own") {
		style := StyleOf(name)
		own := fmt.Sprint(style.Color, style.DashLengths, style.Shape)
		if other := seen[own]; other != "" && other != name {
			t.Errorf("%s has the style of %s", name, other)
		}
		seen[own] = name
		if _, shipped := styles[name]; shipped != (name != "a policy of one's own") {
			t.Errorf("%s has a style in the table: %v", name, shipped)
		}
	}
	for name, want := range map[string]color.RGBA{"ondemand": Black, "reactive": Orange, "spotdnn": Blue, "parcae": Vermillion, "varuna": Green,
		"parcae-ideal": Vermillion} {
		if got := StyleOf(name).Color; got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// Seven policies that are compared with each other differ in colour, and without any
// colour in the dashes of their lines and the shape of their points.
func TestSevenStyles(t *testing.T) {
	for _, group := range [][]string{
		{"ondemand", "reactive", "spotdnn", "srifty+", "cmdare", "cmdare+", "fixed"},
		{"ondemand", "greedy", "uniform-progress", "time-sliced", "checkpoint", "checkfreq", "varuna"},
		{"ondemand", "checkpoint", "checkfreq", "varuna", "bamboo", "oobleck", "parcae"},
		{"ondemand", "varuna", "bamboo", "parcae", "throughput-optimal", "parcae-reactive"},
		{"fifo", "first-fit", "srtf", "srsf", "tiresias", "las", "starburst"},
		{"gavel", "gavel-agnostic", "gavel-ftf", "gavel-makespan", "gavel-throughput", "gavel-cost", "isolated"},
		{"gavel", "gavel-fifo", "allox"},
	} {
		seen := map[string]string{}
		for _, name := range group {
			style := StyleOf(name)
			for _, trait := range []string{fmt.Sprint("colour ", style.Color), fmt.Sprint("dashes ", style.Dashes()), fmt.Sprint("point ", style.Outline())} {
				if other := seen[trait]; other != "" && !(trait[0] == 'c' && len(group) < 7) {
					t.Errorf("%s has the %s of %s", name, trait, other)
				}
				seen[trait] = name
			}
		}
	}
}

// Up to eight policies that are drawn together differ, whatever they are, and keep what is theirs where they can.
func TestApart(t *testing.T) {
	groups := [][]string{{"spotdnn", "mine", "mine-2", "mine-3", "mine-4", "mine-5", "mine-6", "mine-7"}}
	names := policies.Names()
	for i := range len(names) - 8 {
		groups = append(groups, names[i:i+8])
	}
	for _, group := range groups {
		seen := map[string]string{}
		styles := Apart(group)
		for _, name := range group {
			style := styles.Of(name)
			for _, trait := range []string{fmt.Sprint("colour ", style.Color), fmt.Sprint("dashes ", style.Dashes()), fmt.Sprint("point ", style.Outline())} {
				if other := seen[trait]; other != "" {
					t.Errorf("%v: %s has the %s of %s", group, name, trait, other)
				}
				seen[trait] = name
			}
		}
	}
	if got := Apart([]string{"clairvoyant", "ondemand"}).Of("ondemand").Color; got != Black {
		t.Errorf("ondemand is %v among others, want its own colour", got)
	}
	if got := Apart(groups[0]).Of("spotdnn").Color; got != Blue {
		t.Errorf("spotdnn is %v among others, want its own colour", got)
	}
}

// Names in a figure can be read: WCAG 2.2's contrast with white and with dark paper.
// Lines and points can be seen: 3 for graphics, but for some on white, whose dashes
// and shapes say the same.
func TestInk(t *testing.T) {
	check := near.Count(t)
	for _, c := range append(slices.Clone(policyColors), olive) {
		name := Ink(c)
		if got := contrast(name.light, white); check.Below(got, 4.5) {
			t.Errorf("%v: contrast of a name %.2f, want 4.5", c, got)
		}
		if got := contrast(name.dark, darkPaper); check.Below(got, 4.5) {
			t.Errorf("%v: contrast of a name on dark paper %.2f, want 4.5", c, got)
		}
		if got := contrast(onDark(c), darkPaper); check.Below(got, 3) {
			t.Errorf("%v: contrast of a line on dark paper %.2f, want 3", c, got)
		}
	}
}

func contrast(a, b color.RGBA) float64 {
	luminance := func(c color.RGBA) float64 {
		linear := func(v uint8) float64 {
			x := float64(v) / 255
			if x <= 0.04045 {
				return x / 12.92
			}
			return math.Pow((x+0.055)/1.055, 2.4)
		}
		return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
	}
	la, lb := luminance(a), luminance(b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}
