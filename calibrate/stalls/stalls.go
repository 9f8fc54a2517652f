package stalls

import (
	"fmt"
	"io"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/internal/csvtext"
)

// Differential are the times of Stash's differential runs (ICDCS 2023, on
// DS-Analyzer, VLDB 2021), seconds for a GPU: each run adds one stage to the one
// before.
type Differential struct {
	One       float64 // run 0: one GPU, synthetic data
	All       float64 // run 1: all GPUs of one instance, synthetic data
	Cold      float64 // run 2: real data, nothing in the page cache
	Warm      float64 // run 3: real data, all in the page cache
	Networked float64 // run 1 on several instances with as many GPUs in all; 0: none
}

// Stall is time in which a GPU waits.
type Stall struct {
	Seconds float64 // at least 0: below it is noise of the runs
	Share   float64 // of the run that Stash divides by
}

// Stalls are what GPUs wait for.
type Stalls struct {
	Interconnect Stall // exchange of gradients in the instance; share of All
	CPU          Stall // preparation of data; share of Warm
	Disk         Stall // data from the disk; share of Cold
	Network      Stall // exchange between instances; share of All, and so may be above 1
}

// Stalls returns the differences between the runs.
func (d Differential) Stalls() Stalls {
	stalls := Stalls{
		Interconnect: stall(d.All, d.One, d.All),
		CPU:          stall(d.Warm, d.All, d.Warm),
		Disk:         stall(d.Cold, d.Warm, d.Cold),
	}
	if d.Networked > 0 {
		stalls.Network = stall(d.Networked, d.All, d.All)
	}
	return stalls
}

func stall(with, without, of float64) Stall {
	seconds := max(with-without, 0)
	return Stall{seconds, seconds / of}
}

// Price is what an instance type costs.
type Price struct {
	InstanceType string  `col:"instance_type"`
	GPU          string  `col:"gpu"`
	GPUs         int     `col:"gpus"` // in one instance
	USDPerH      float64 `col:"usd_per_h"`
}

// StashPrices returns the on-demand prices with which Stash (ICDCS 2023) recommends.
func StashPrices() []Price { return facts.Read[Price]("stash_prices") }

// ListedType returns an instance type with its GPUs by the list of prices of clouds (facts instance_prices) and
// without a price; GPUs is 0 if that does not have it.
func ListedType(name string) Price {
	price, err := PriceOf(facts.Read[Price]("instance_prices"), name)
	if err != nil {
		return Price{InstanceType: name}
	}
	price.USDPerH = 0
	return price
}

// OpenPrices reads a price list from a file; see ReadPrices.
func OpenPrices(path string) ([]Price, error) { return csvtext.Open(path, ReadPrices) }

// ReadPrices reads a CSV table with the columns instance_type, gpu, gpus and
// usd_per_h. name is for its errors, which give line, column, value and what was
// expected.
func ReadPrices(name string, r io.Reader) ([]Price, error) {
	table, err := csvtext.Read(name, r, "instance_type", "gpu", "gpus", "usd_per_h")
	if err != nil {
		return nil, err
	}
	var out []Price
	for i := range table.Rows {
		cells := table.Cells(i)
		price := Price{cells.Text("instance_type"), cells.Text("gpu"), cells.Count("gpus", 1, 1024),
			cells.Number("usd_per_h", 0, 1e5)}
		if _, err := PriceOf(out, price.InstanceType); err == nil || price.InstanceType == "" {
			return nil, table.Errorf(i, "instance_type", "%q, expected a name that is used once", price.InstanceType)
		}
		if cells.Err != nil {
			return nil, cells.Err
		}
		out = append(out, price)
	}
	return out, nil
}

// PriceOf returns the price of an instance type.
func PriceOf(list []Price, instanceType string) (Price, error) {
	for _, price := range list {
		if price.InstanceType == instanceType {
			return price, nil
		}
	}
	return Price{}, fmt.Errorf("no price of instance type %q", instanceType)
}
