package defection

import (
	"fmt"
	"slices"

	"github.com/marigram/marigram/calibrate/facts"
)

// Populations are the names of made-up populations of users: alike, of two kinds, and with
// run times spread over decades (log-normal; "wide" with a sigma of 2.5).
func Populations() []string { return []string{"same20", "two", "spread", "wide"} }

// Population returns made-up users by name. An unknown name is an error.
func Population(name string) ([]User, error) {
	if !slices.Contains(Populations(), name) {
		return nil, fmt.Errorf("no population %q, expected one of %v", name, Populations())
	}
	type row struct {
		Population string  `col:"population"`
		JobsPerH   float64 `col:"jobs_per_h"`
		RunH       float64 `col:"mean_run_h"`
	}
	var out []User
	for _, r := range facts.Read[row]("defection_users") {
		if r.Population == name {
			out = append(out, User{r.JobsPerH, r.RunH})
		}
	}
	return out, nil
}
