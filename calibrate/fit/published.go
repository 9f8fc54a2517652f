package fit

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/marigram/marigram/calibrate/facts"
)

const measuredSuffix = ".runs.csv"

// PublishedMeasured returns a profile of measured runs that comes with marigram,
// for instance "gavel-resnet50".
func PublishedMeasured(name string) (*Measured, error) {
	data, err := facts.Profiles.ReadFile(name + measuredSuffix)
	if err != nil {
		return nil, fmt.Errorf("no published profile of runs %q; there are %s", name,
			strings.Join(PublishedMeasuredNames(), ", "))
	}
	return ReadMeasured("profiles/"+name+measuredSuffix, bytes.NewReader(data))
}

// PublishedMeasuredNames returns what PublishedMeasured knows, sorted.
func PublishedMeasuredNames() []string { return facts.ProfileNames(measuredSuffix) }
