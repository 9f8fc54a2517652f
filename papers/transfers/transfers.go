package transfers

import (
	"embed"
	"math"

	"github.com/marigram/marigram/calibrate/charges"
	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/papers"
)

// tiers counts the transfers whose price is that of the authors' function, and those that
// it gets wrong whose price is that of the tariff.
func tiers(f *papers.Figure) error {
	var in struct {
		Within float64 `json:"within_usd"`
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	type row struct {
		Cloud     string  `col:"cloud"`
		Scope     string  `col:"scope"`
		Continent string  `col:"source_continent"`
		GB        float64 `col:"gb"`
		USD       float64 `col:"usd"`
		Public    int     `col:"public"`
	}
	equal := [2]int{}
	for _, r := range facts.ReadFrom[row](files, "costs") {
		usd, err := charges.TiersUSD(r.Cloud, charges.Scope(r.Scope), r.Continent, r.GB)
		if err != nil {
			return err
		}
		if math.Abs(usd-r.USD) <= in.Within {
			equal[r.Public]++
		}
	}
	f.Report("public", float64(equal[1]))
	f.Report("others", float64(equal[0]))
	return nil
}

//go:embed *.csv *.yaml
var files embed.FS
