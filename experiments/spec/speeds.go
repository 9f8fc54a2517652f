package spec

import (
	"fmt"

	"github.com/marigram/marigram/calibrate"
	"github.com/marigram/marigram/calibrate/ps"
)

// speeds returns the profile with the speeds that the spec's model files
// predict, and why they may mislead.
func (s *Spec) speeds(profile ps.Profile) (ps.Profile, []string, error) {
	var types, warnings []string
	for _, p := range s.Market.Pools {
		types = append(types, p.Type)
	}
	for i, name := range s.Model.Speeds {
		m, err := calibrate.OpenModel(s.Path(name))
		var more []string
		if err == nil {
			profile, more, err = ps.PredictSpeeds(m, profile, types)
		}
		if err != nil {
			return nil, nil, s.ErrorAt(fmt.Sprintf("$.model.speeds[%d]", i), "%s: %v", name, err)
		}
		warnings = append(warnings, more...)
	}
	return profile, warnings, nil
}
