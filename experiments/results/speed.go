package results

import "strings"

// SpeedSaid returns what warnings of a study or of a run say of the speed of the job where it is estimated or measured
// but not profiled: "estimated, 1.9e+05 tokens/s (...)"; empty where they say nothing.
func SpeedSaid(warnings []string) string {
	for _, warning := range warnings {
		if said, is := strings.CutPrefix(warning, "speed: "); is {
			return said
		}
	}
	return ""
}
