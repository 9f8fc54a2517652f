package calibrate

import (
	"bytes"
	"embed"
	"fmt"
	"sort"
	"strings"
)

//go:embed profiles/*.csv
var profiles embed.FS

// Published returns a profile and the coefficients that come with marigram: a
// table of facts with its source, for instance "spotdnn-resnet110".
func Published(name string) (Profile, Coefficients, error) {
	file := "profiles/" + name + profileSuffix
	data, err := profiles.ReadFile(file)
	if err != nil {
		return nil, Coefficients{}, fmt.Errorf("no published profile %q; there are %s", name, strings.Join(PublishedNames(), ", "))
	}
	p, err := ReadProfile(file, bytes.NewReader(data))
	if err != nil {
		return nil, Coefficients{}, err
	}
	file = "profiles/" + name + ".coefficients.csv"
	if data, err = profiles.ReadFile(file); err != nil {
		return nil, Coefficients{}, err
	}
	c, err := ReadCoefficients(file, bytes.NewReader(data))
	return p, c, err
}

// PublishedMeasured returns a profile of measured runs that comes with marigram.
func PublishedMeasured(name string) (*Measured, error) {
	file := "profiles/" + name + measuredSuffix
	data, err := profiles.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("no published profile of runs %q; there are %s", name, strings.Join(PublishedMeasuredNames(), ", "))
	}
	return ReadMeasured(file, bytes.NewReader(data))
}

const profileSuffix, measuredSuffix = ".profile.csv", ".runs.csv"

// PublishedNames returns what Published knows, sorted.
func PublishedNames() []string { return publishedNames(profileSuffix) }

// PublishedMeasuredNames returns what PublishedMeasured knows, sorted.
func PublishedMeasuredNames() []string { return publishedNames(measuredSuffix) }

func publishedNames(suffix string) []string {
	entries, _ := profiles.ReadDir("profiles")
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), suffix); ok {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	return names
}
