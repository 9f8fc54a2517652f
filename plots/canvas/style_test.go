package canvas

import (
	"fmt"
	"image/color"
	"math"
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

// Names in a figure can be read: WCAG 2.2's contrast with white and with dark paper.
// Lines and points can be seen: 3 for graphics, but for some on white, whose dashes
// and shapes say the same.
func TestInk(t *testing.T) {
	check := near.Count(t)
	for _, c := range policyColors {
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
