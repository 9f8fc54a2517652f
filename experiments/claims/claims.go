package claims

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/marigram/marigram/internal/spelling"
)

// Claim is one published number that marigram is compared with.
type Claim struct {
	Name   string // system/figure/item; the part before the last slash is the figure
	Series string // what it is a point of in the figure; may be empty
	X      string // where it lies on the figure's x axis: a number or a label; may be empty

	Published float64
	Unit      string
	Kind      Kind
	Tolerance float64 // most that the error may be; see Kind
	Source    string  // paper and place
	Origin    Origin  // kind of source
	Fitted    bool    // the number, or the measurements that it is of, are an input or what a law is fitted to: no prediction
	Open      string  // why it is not claimed (yet); empty: it is claimed
}

// Kind says what the error of a claim is and thus what its tolerance means.
type Kind string

// The kinds.
const (
	Relative Kind = "relative" // |simulated - published| as a share of the published
	Absolute Kind = "absolute" // |simulated - published| in the claim's unit
	Exact    Kind = "exact"    // Absolute with a tolerance of 0
	Most     Kind = "most"     // how far the simulated is above the published bound
	Least    Kind = "least"    // how far it is below
)

// Figure returns the figure or table that the claim is a number of.
func (c *Claim) Figure() string { return path.Dir(c.Name) }

// Figures returns the names of the figures of claims, in their order.
func Figures(list []Claim) []string {
	var names []string
	for _, c := range list {
		if name := c.Figure(); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// timed reports whether the number depends on the clock of the machine.
func (c *Claim) timed() bool {
	return c.Unit == "s of planning" || c.Unit == "times as fast" || c.Unit == "ticks/CPU-s"
}

// Error returns the error of a simulated number; NaN if that is NaN.
func (c *Claim) Error(simulated float64) float64 {
	d := simulated - c.Published
	switch c.Kind {
	case Relative:
		return math.Abs(d / c.Published)
	case Most:
		return max(d, 0)
	case Least:
		return max(-d, 0)
	}
	return math.Abs(d)
}

//go:embed published.csv
var published []byte

var columns = []string{"claim", "series", "x", "published", "unit", "kind", "tolerance", "source", "origin", "fitted", "open"}

// Published returns every claim in the order of the table.
func Published() []Claim {
	list, err := parse(published)
	if err == nil {
		err = originate(list)
	}
	if err != nil {
		panic("claims: published.csv: " + err.Error()) // embedded, and read by a test
	}
	return list
}

func parse(data []byte) ([]Claim, error) {
	in := csv.NewReader(bytes.NewReader(data))
	in.Comment, in.FieldsPerRecord = '#', len(columns)
	rows, err := in.ReadAll()
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 || strings.Join(rows[0], ",") != strings.Join(columns, ",") {
		return nil, fmt.Errorf("header, expected %s", strings.Join(columns, ","))
	}
	seen := map[string]bool{}
	var list []Claim
	for _, r := range rows[1:] {
		c := Claim{Name: r[0], Series: r[1], X: r[2], Unit: r[4], Kind: Kind(r[5]), Source: r[7], Origin: Origin(r[8]), Fitted: r[9] == "fitted", Open: r[10]}
		if seen[c.Name] || strings.Count(c.Name, "/") < 2 || c.Source == "" || c.Unit == "" {
			return nil, fmt.Errorf("claim %q: expected a name system/figure/item, used once, a unit and a source", c.Name)
		}
		seen[c.Name] = true
		if c.Published, err = strconv.ParseFloat(r[3], 64); err == nil {
			c.Tolerance, err = strconv.ParseFloat(r[6], 64)
		}
		if err != nil {
			return nil, fmt.Errorf("claim %q: %w", c.Name, err)
		}
		if r[9] != "" && !c.Fitted {
			return nil, fmt.Errorf("claim %q: fitted is %q, expected fitted or nothing", c.Name, r[9])
		}
		if err := c.check(); err != nil {
			return nil, fmt.Errorf("claim %q: %w", c.Name, err)
		}
		list = append(list, c)
	}
	return list, nil
}

func (c *Claim) check() error {
	switch c.Kind {
	case Relative:
		if c.Published == 0 {
			return fmt.Errorf("relative to 0")
		}
	case Absolute:
	case Exact, Most, Least:
		if c.Tolerance != 0 {
			return fmt.Errorf("kind %s with tolerance %v, expected 0", c.Kind, c.Tolerance)
		}
	default:
		return fmt.Errorf("kind %q", c.Kind)
	}
	if !(c.Tolerance >= 0) || math.IsInf(c.Published, 0) || math.IsNaN(c.Published) {
		return fmt.Errorf("published %v, tolerance %v", c.Published, c.Tolerance)
	}
	return nil
}

// Select returns the claims with one of the names, in the order of the table: a
// claim, or a figure or system for all of its claims; without names, all. An
// unknown name is an error that gives the nearest.
func Select(names ...string) ([]Claim, error) {
	all := Published()
	if len(names) == 0 {
		return all, nil
	}
	used := make([]bool, len(names))
	var list []Claim
	for _, c := range all {
		wanted := false
		for i, name := range names {
			if name = strings.TrimSuffix(name, "/"); c.Name == name || strings.HasPrefix(c.Name, name+"/") {
				used[i], wanted = true, true
			}
		}
		if wanted {
			list = append(list, c)
		}
	}
	for i, name := range names {
		if !used[i] {
			return nil, unknown(name, all)
		}
	}
	return list, nil
}

func unknown(name string, all []Claim) error {
	var known []string
	for _, c := range all {
		known = append(known, c.Name, c.Figure(), path.Dir(c.Figure()))
	}
	err := fmt.Errorf("no claim %q; marigram reproduce --list names them", name)
	if near := spelling.Nearest(name, known); near != "" {
		err = fmt.Errorf("%w\ndid you mean %q?", err, near)
	}
	return err
}
