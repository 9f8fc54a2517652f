package run

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/spec"
)

// checkRequired refuses a requirement that the spec's objectives cannot fulfil, and a file that would replace another.
func (f *runFlags) checkRequired(s *spec.Spec) error {
	if f.Require == string(experiments.RequireProven) {
		for i := range s.Objectives {
			o := &s.Objectives[i]
			switch {
			case o.Share == nil:
				return fmt.Errorf("--require proven: the objective %s has no share, expected one below 1, for instance share: 0.95", o.Name)
			case *o.Share == 1:
				return fmt.Errorf("--require proven: the objective %s has the share 1, which no number of runs proves; expected one below 1", o.Name)
			}
		}
	}
	if f.JUnit == "" {
		return nil
	}
	for _, other := range []string{f.Runs, f.Trace} {
		if cli.SamePath(f.JUnit, other) {
			return fmt.Errorf("--junit %s: --runs or --trace writes this file, expected another one", f.JUnit)
		}
	}
	if err := cli.CheckOutputs(s.Files(), f.JUnit); err != nil {
		return fmt.Errorf("--junit: %w", err)
	}
	return nil
}

// requirement returns what is required, RequireMet if nothing is said.
func (f *runFlags) requirement() experiments.Requirement {
	if f.Require == "" {
		return experiments.RequireMet
	}
	return experiments.Requirement(f.Require)
}

// required is an error with exit status 5 where objectives fall short of what is required of them.
func (f *runFlags) required(rows []experiments.Aggregate) error {
	if f.Require == "" {
		return nil
	}
	var why []string
	for i := range rows {
		if text := rows[i].Unmet(f.requirement()); text != "" {
			why = append(why, text)
		}
	}
	if why == nil {
		return nil
	}
	return cli.Unmet(errors.New("--require " + f.Require + ": " + strings.Join(why, "; ")))
}

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

// writeJUnit writes the objectives under each policy as test cases, which fail where they fall short of what is required; those of
// oracles are skipped.
func (f *runFlags) writeJUnit(w io.Writer, study string, rows []experiments.Aggregate) error {
	file := junitFile{Name: study}
	for i := range rows {
		a := &rows[i]
		if n := len(file.Suites); n == 0 || file.Suites[n-1].Name != a.Objective {
			file.Suites = append(file.Suites, junitSuite{Name: a.Objective})
		}
		suite := &file.Suites[len(file.Suites)-1]
		c := junitCase{Class: study + "." + a.Objective, Name: a.Policy,
			Output: fmt.Sprintf("met in %d of %d runs; mean cost %.6g USD", a.Met, a.Runs, a.CostUSD.Mean)}
		if why := a.Unmet(f.requirement()); why != "" {
			c.Failure = &junitFailure{Type: string(f.requirement()), Message: why}
			suite.Failures++
			file.Failures++
		}
		if a.Oracle {
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
