package fit

import (
	"bytes"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/internal/registry"
)

const measuredSuffix = ".runs.csv"

// PublishedMeasured returns a profile of measured runs that comes with marigram,
// for instance "gavel-resnet50".
func PublishedMeasured(name string) (*Measured, error) {
	data, err := facts.Profiles.ReadFile(name + measuredSuffix)
	if err != nil {
		return nil, registry.Unknown("published profile of runs", name, PublishedMeasuredNames())
	}
	return ReadMeasured("profiles/"+name+measuredSuffix, bytes.NewReader(data))
}

// PublishedMeasuredNames returns what PublishedMeasured knows, sorted.
func PublishedMeasuredNames() []string { return facts.ProfileNames(measuredSuffix) }
