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
	file := "profiles/" + name + ".profile.csv"
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

// PublishedNames returns what Published knows, sorted.
func PublishedNames() []string {
	entries, _ := profiles.ReadDir("profiles")
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".profile.csv"); ok {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	return names
}
