package stalls

import (
	"fmt"
	"io"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/internal/csvtext"
)

// Price is what an instance type costs.
type Price struct {
	InstanceType string  `col:"instance_type"`
	GPU          string  `col:"gpu"`
	GPUs         int     `col:"gpus"` // in one instance
	USDPerH      float64 `col:"usd_per_h"`
}

// StashPrices returns the on-demand prices with which Stash (ICDCS 2023) recommends.
func StashPrices() []Price { return facts.Read[Price]("stash_prices") }

// OpenPrices reads a price list from a file; see ReadPrices.
func OpenPrices(path string) ([]Price, error) { return csvtext.Open(path, ReadPrices) }

// ReadPrices reads a CSV table with the columns instance_type, gpu, gpus and
// usd_per_h. name is for its errors, which give line, column, value and what was
// expected.
func ReadPrices(name string, r io.Reader) ([]Price, error) {
	t, err := csvtext.Read(name, r, "instance_type", "gpu", "gpus", "usd_per_h")
	if err != nil {
		return nil, err
	}
	var out []Price
	for i := range t.Rows {
		p := Price{InstanceType: t.Text(i, "instance_type"), GPU: t.Text(i, "gpu")}
		if _, err := PriceOf(out, p.InstanceType); err == nil || p.InstanceType == "" {
			return nil, t.Errorf(i, "instance_type", "%q, expected a name that is used once", p.InstanceType)
		}
		if p.GPUs, err = t.Count(i, "gpus", 1, 1024); err != nil {
			return nil, err
		}
		if p.USDPerH, err = t.Number(i, "usd_per_h", 0, 1e5); err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// PriceOf returns the price of an instance type.
func PriceOf(list []Price, instanceType string) (Price, error) {
	for _, p := range list {
		if p.InstanceType == instanceType {
			return p, nil
		}
	}
	return Price{}, fmt.Errorf("no price of instance type %q", instanceType)
}
