package stalls

import (
	"fmt"
	"io"
	"math"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/internal/csvtext"
)

// Differential are the times of Stash's differential runs (ICDCS 2023, on
// DS-Analyzer, VLDB 2021), seconds for a GPU: each run adds one stage to the one
// before. RealSamples and SyntheticSamples are those of a GPU in the real and the
// synthetic runs: these are shorter, and the real times are scaled to them; 0
// for the same.
type Differential struct {
	One       float64 // run 0: one GPU, synthetic data
	All       float64 // run 1: all GPUs of one instance, synthetic data
	Cold      float64 // run 2: real data, nothing in the page cache
	Warm      float64 // run 3: real data, all in the page cache
	Networked float64 // run 1 on several instances with as many GPUs in all; 0: none

	RealSamples, SyntheticSamples float64
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
	cold, warm := d.scaled()
	stalls := Stalls{
		Interconnect: stall(d.All, d.One, d.All),
		CPU:          stall(warm, d.All, warm),
		Disk:         stall(cold, warm, cold),
	}
	if d.Networked > 0 {
		stalls.Network = stall(d.Networked, d.All, d.All)
	}
	return stalls
}

// scaled returns the times of the real runs for as many samples as the
// synthetic ones had.
func (d Differential) scaled() (cold, warm float64) {
	if d.RealSamples == 0 {
		return d.Cold, d.Warm
	}
	scale := d.SyntheticSamples / d.RealSamples
	return d.Cold * scale, d.Warm * scale
}

func stall(with, without, of float64) Stall {
	seconds := max(with-without, 0)
	return Stall{seconds, seconds / of}
}

// Rates are DS-Analyzer's, samples per second of one GPU.
type Rates struct {
	Ingestion float64 // what the GPU takes with its part of the exchange
	Prep      float64 // with preparation of cached data
	Fetch     float64 // what the disk gives; +Inf if the GPU never waits for it
}

// Rates returns the rates over that many samples of a GPU in a synthetic run.
func (d Differential) Rates(samples float64) Rates {
	cold, warm := d.scaled()
	rates := Rates{Ingestion: samples / d.All, Prep: samples / warm, Fetch: math.Inf(1)}
	if cold > warm {
		rates.Fetch = samples / (cold - warm)
	}
	return rates
}

// Stages are the parts of the time of a step, s. Preparation and fetching overlap
// with the step before: only what is left of them counts, which is what the
// differential runs measure. So the parts add up.
type Stages struct {
	Compute, Interconnect, Network, CPU, Disk float64
}

// Stages divides the runs by their number of steps.
func (d Differential) Stages(steps float64) Stages {
	stalls := d.Stalls()
	return Stages{d.One / steps, stalls.Interconnect.Seconds / steps, stalls.Network.Seconds / steps,
		stalls.CPU.Seconds / steps,
		stalls.Disk.Seconds / steps}
}

// Step returns the time of a step.
func (s Stages) Step() float64 { return s.Compute + s.Interconnect + s.Network + s.CPU + s.Disk }

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
