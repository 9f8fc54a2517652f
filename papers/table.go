package papers

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"
)

var columns = []string{"claim", "series", "x", "published", "unit", "kind", "tolerance", "tolerance_from", "source", "origin",
	"fitted", "open"}

// Published returns every claim: those of one paper after those of another, by name, in the
// order of their tables.
func Published() []Claim {
	var all []Claim
	for _, p := range registered.All() {
		list, err := p.published()
		if err != nil { // embedded, and read by a test
			panic("papers: " + p.Name + "/published.csv: " + err.Error())
		}
		all = append(all, list...)
	}
	return all
}

// published reads the paper's claims.
func (p *Paper) published() ([]Claim, error) {
	data, err := fs.ReadFile(p.Files, "published.csv")
	if err != nil {
		return nil, err
	}
	list, err := parse(data)
	if err != nil {
		return nil, err
	}
	for i := range list {
		if !strings.HasPrefix(list[i].Name, p.Name+"/") {
			return nil, fmt.Errorf("claim %q, expected one of %s", list[i].Name, p.Name)
		}
	}
	return list, originate(list)
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
		c := Claim{Name: r[0], Series: r[1], X: r[2], Unit: r[4], Kind: Kind(r[5]), Basis: Basis(r[7]), Source: r[8],
			Origin: Origin(r[9]), Fitted: r[10] == "fitted", Open: r[11]}
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
		if r[10] != "" && !c.Fitted {
			return nil, fmt.Errorf("claim %q: fitted is %q, expected fitted or nothing", c.Name, r[10])
		}
		if units := lastUnits(&c, r[3]); c.Basis == Digits && units > 1.11 && c.Tolerance > rounding {
			return nil, fmt.Errorf("claim %q: a tolerance of %v is %.3g units of the last digit of %s, expected at most one where tolerance_from is %s",
				c.Name, c.Tolerance, units, r[3], Digits)
		}
		if err := c.check(); err != nil {
			return nil, fmt.Errorf("claim %q: %w", c.Name, err)
		}
		list = append(list, c)
	}
	return list, nil
}

// rounding is what sums of floating-point numbers may differ by, relative or in the unit of the claim.
const rounding = 1e-6

// lastUnits returns how many units of the last printed digit of the published number the tolerance is.
func lastUnits(c *Claim, printed string) float64 {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(printed), "e")
	_, decimals, _ := strings.Cut(mantissa, ".")
	power, _ := strconv.Atoi(exponent)
	unit := math.Pow10(power - len(decimals))
	if c.Kind == Relative {
		return c.Tolerance * math.Abs(c.Published) / unit
	}
	return c.Tolerance / unit
}

// originate gives claims without an origin of their own that of their figure.
func originate(list []Claim) error {
	of := map[string]Origin{}
	for i := range list {
		c := &list[i]
		figure := c.Figure()
		if _, known := of[figure]; !known {
			s, err := OpenSpec(figure)
			if err != nil {
				return err
			}
			of[figure] = Origin(s.Origin)
		}
		if c.Origin == "" {
			c.Origin = of[figure]
		}
		if !slices.Contains(origins(), c.Origin) || c.Origin == Zero {
			return fmt.Errorf("claim %q: origin %q, expected one of %v", c.Name, c.Origin, origins())
		}
	}
	return nil
}

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
