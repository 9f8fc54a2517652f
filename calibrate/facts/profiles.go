package facts

import (
	"embed"
	"io/fs"
	"slices"
	"strings"
)

// Profiles are the measured profiles that come with marigram: NAME.runs.csv of measured runs for fits, and
// NAME.profile.csv of instance types with NAME.coefficients.csv for specs. A folder that the profiler wrote holds one
// of runs for each precision: h100/bf16. ../PROFILES.md says where each is from.
//
//go:embed *.runs.csv *.profile.csv *.coefficients.csv */*.runs.csv
var Profiles embed.FS

// ProfileNames returns the files whose names end in suffix, without it, sorted.
func ProfileNames(suffix string) []string {
	var names []string
	for _, pattern := range []string{"*", "*/*"} {
		files, err := fs.Glob(Profiles, pattern+suffix)
		if err != nil {
			panic("profiles: " + err.Error())
		}
		for _, file := range files {
			names = append(names, strings.TrimSuffix(file, suffix))
		}
	}
	slices.Sort(names)
	return names
}
