package run

import (
	"encoding/xml"
	"fmt"
	"io"

	"github.com/marigram/marigram/experiments"
)

// The elements of a JUnit file: a suite an objective, a case a policy.
type (
	junitFile struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Failure *junitFailure `xml:"failure,omitempty"`
		Skipped *struct{}     `xml:"skipped,omitempty"`
		Output  string        `xml:"system-out,omitempty"`
	}
	junitFailure struct {
		Type    string `xml:"type,attr"`
		Message string `xml:"message,attr"`
	}
)

// writeJUnit writes the objectives under each policy as test cases, which fail where they fall short of what is
// required; those of oracles are skipped.
func writeJUnit(w io.Writer, study string, rows []experiments.Aggregate, required experiments.Requirement) error {
	file := junitFile{Name: study}
	for i := range rows {
		row := &rows[i]
		if i == 0 || rows[i-1].Objective != row.Objective {
			file.Suites = append(file.Suites, junitSuite{Name: row.Objective})
		}
		suite := &file.Suites[len(file.Suites)-1]
		met := fmt.Sprintf("met in %d", row.Met)
		if row.Jobs != nil {
			met = fmt.Sprintf("all jobs done in time in %d", row.Jobs.AllInTime)
		}
		test := junitCase{
			Class:  study + "." + row.Objective,
			Name:   row.Policy,
			Output: fmt.Sprintf("%s of %d runs; mean cost %.6g USD", met, row.Runs, row.CostUSD.Mean),
		}
		if why := row.Unmet(required); why != "" {
			test.Failure = &junitFailure{Type: string(required), Message: why}
			suite.Failures++
			file.Failures++
		}
		if !row.Judged() {
			test.Skipped = new(struct{})
		}
		suite.Cases = append(suite.Cases, test)
		suite.Tests++
		file.Tests++
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(w)
	encoder.Indent("", "  ")
	if err := encoder.Encode(file); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
