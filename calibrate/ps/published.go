package ps

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/marigram/marigram/calibrate/profiles"
)

const profileSuffix, coefficientsSuffix = ".profile.csv", ".coefficients.csv"

// Published returns a profile and the coefficients that come with marigram: a
// table of facts with its source, for instance "spotdnn-resnet110".
func Published(name string) (Profile, Coefficients, error) {
	data, err := profiles.FS.ReadFile(name + profileSuffix)
	if err != nil {
		return nil, Coefficients{}, fmt.Errorf("no published profile %q; there are %s", name,
			strings.Join(PublishedNames(), ", "))
	}
	p, err := ReadProfile("profiles/"+name+profileSuffix, bytes.NewReader(data))
	if err != nil {
		return nil, Coefficients{}, err
	}
	if data, err = profiles.FS.ReadFile(name + coefficientsSuffix); err != nil {
		return nil, Coefficients{}, err
	}
	c, err := ReadCoefficients("profiles/"+name+coefficientsSuffix, bytes.NewReader(data))
	return p, c, err
}

// PublishedNames returns what Published knows, sorted.
func PublishedNames() []string { return profiles.Names(profileSuffix) }
