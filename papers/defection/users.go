package defection

import (
	"fmt"
	"io"
	"slices"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/internal/csvtext"
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

// OpenUsers reads a file of users; see ReadUsers.
func OpenUsers(path string) ([]User, error) { return csvtext.Open(path, ReadUsers) }

// ReadUsers reads a CSV table with the columns jobs_per_h and mean_run_h, a row a user. name
// is for its errors, which give line, column, value and what was expected.
func ReadUsers(name string, r io.Reader) ([]User, error) {
	t, err := csvtext.Read(name, r, "jobs_per_h", "mean_run_h")
	if err != nil {
		return nil, err
	}
	out := make([]User, len(t.Rows))
	for i := range out {
		c := t.Cells(i)
		if out[i] = (User{c.Number("jobs_per_h", 1e-9, maxJobsPerH), c.Number("mean_run_h", 1e-9, maxRunH)}); c.Err != nil {
			return nil, c.Err
		}
	}
	return out, nil
}
