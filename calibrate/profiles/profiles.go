// Package profiles holds the measured profiles that come with marigram: runs for
// fits, and instance types with their coefficients for specs. PROFILES.md in the
// folder above says where each is from.
package profiles

import (
	"embed"
	"slices"
	"strings"
)

// FS are the files: NAME.runs.csv of measured runs; NAME.profile.csv of instance
// types, with NAME.coefficients.csv beside it.
//
//go:embed *.csv
var FS embed.FS

// Names returns the files whose names end in suffix, without it, sorted.
func Names(suffix string) []string {
	entries, err := FS.ReadDir(".")
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
