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
		a := &rows[i]
		if n := len(file.Suites); n == 0 || file.Suites[n-1].Name != a.Objective {
			file.Suites = append(file.Suites, junitSuite{Name: a.Objective})
		}
		suite := &file.Suites[len(file.Suites)-1]
		c := junitCase{Class: study + "." + a.Objective, Name: a.Policy,
			Output: fmt.Sprintf("met in %d of %d runs; mean cost %.6g USD", a.Met, a.Runs, a.CostUSD.Mean)}
		if why := a.Unmet(required); why != "" {
			c.Failure = &junitFailure{Type: string(required), Message: why}
			suite.Failures++
			file.Failures++
		}
		if a.Jobs != nil {
			c.Output = fmt.Sprintf("all jobs done in time in %d of %d runs; mean cost %.6g USD", a.Jobs.AllInTime, a.Runs, a.CostUSD.Mean)
		}
		if !a.Judged() {
			c.Skipped = new(struct{})
		}
		suite.Cases = append(suite.Cases, c)
		suite.Tests++
		file.Tests++
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(file); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
