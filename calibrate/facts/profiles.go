package facts

import (
	"embed"
	"slices"
	"strings"
)

// Profiles are the measured profiles that come with marigram: NAME.runs.csv of measured runs for fits, and
// NAME.profile.csv of instance types with NAME.coefficients.csv for specs. ../PROFILES.md says where each is from.
//
//go:embed *.runs.csv *.profile.csv *.coefficients.csv
var Profiles embed.FS

// ProfileNames returns the files whose names end in suffix, without it, sorted.
func ProfileNames(suffix string) []string {
	entries, err := Profiles.ReadDir(".")
	if err != nil {
		panic("profiles: " + err.Error())
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), suffix); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
