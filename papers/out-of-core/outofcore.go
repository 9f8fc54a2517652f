// Package economics computes the claims on what training costs beside the choice of a
// place: out-of-core, with compressed exchange, and sessions of notebooks.
package outofcore

import (
	"embed"
	"math"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/papers"
)

// published reports the time of published cases.
func published(f *papers.Figure) error {
	var in struct {
		Disk    float64 `json:"disk_gb_per_s"`
		Compute float64 `json:"compute_s"`
		Cases   []struct {
			Name       string  `json:"name"`
			Size       float64 `json:"size_gb"`
			Partitions int     `json:"partitions"`
			Buffer     int     `json:"buffer"`
			Epochs     int     `json:"epochs"`
			Prefetch   bool    `json:"prefetch"`
		} `json:"cases"`
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	for _, c := range in.Cases {
		t := Training{SizeGB: c.Size, Learned: true, ComputeS: in.Compute, DiskGBPerS: in.Disk, Prefetch: c.Prefetch}
		f.Report(c.Name, float64(c.Epochs)*t.Epoch(c.Partitions, c.Buffer).Seconds)
	}
	return nil
}

// closedForms counts the rows that are as they were computed elsewhere.
func closedForms(f *papers.Figure) error {
	var in struct {
		Within float64 `json:"within"`
		USD    float64 `json:"usd_per_h"`
		Comet  struct {
			Partitions int `json:"partitions"`
			Buffer     int `json:"buffer"`
			Group      int `json:"group"`
		} `json:"comet"`
		Nodes struct {
			SizeGB     float64 `json:"size_gb"`
			Partitions int     `json:"partitions"`
			Buffer     int     `json:"buffer"`
		} `json:"nodes"`
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	type swaps struct {
		Partitions int `col:"partitions"`
		Buffer     int `col:"buffer"`
		Min        int `col:"lower_bound_swaps"`
		Swaps      int `col:"beta_swaps"`
	}
	equal := 0
	for _, r := range facts.ReadFrom[swaps](files, "swaps") {
		if MinSwaps(r.Partitions, r.Buffer) == r.Min && Swaps(r.Partitions, r.Buffer) == r.Swaps {
			equal++
		}
	}
	f.Report("swaps", float64(equal))
	type epoch struct {
		Size       float64 `col:"size_gb"`
		Partitions int     `col:"partitions"`
		Buffer     int     `col:"buffer"`
		Disk       float64 `col:"disk_gb_per_s"`
		Compute    float64 `col:"compute_s"`
		Prefetch   int     `col:"prefetch"`
		Learned    int     `col:"learned"`
		Swaps      int     `col:"swaps"`
		GB         float64 `col:"io_gb"`
		Seconds    float64 `col:"epoch_s"`
		USD        float64 `col:"usd_at_3.06_per_h"`
	}
	equal = 0
	for _, r := range facts.ReadFrom[epoch](files, "epochs") {
		t := Training{SizeGB: r.Size, Learned: r.Learned == 1, ComputeS: r.Compute, DiskGBPerS: r.Disk, Prefetch: r.Prefetch == 1}
		e := t.Epoch(r.Partitions, r.Buffer)
		off := max(math.Abs(e.ReadWriteGB-r.GB), math.Abs(e.Seconds-r.Seconds), math.Abs(e.Seconds/3600*in.USD-r.USD))
		if e.Swaps == r.Swaps && off <= in.Within {
			equal++
		}
	}
	f.Report("epochs", float64(equal))
	grouped := Training{SizeGB: 1, ComputeS: 1, DiskGBPerS: 1, Group: in.Comet.Group}
	f.Report("comet", float64(grouped.Epoch(in.Comet.Partitions, in.Comet.Buffer).Swaps))
	once := Training{SizeGB: in.Nodes.SizeGB, ComputeS: 1, DiskGBPerS: 1, Once: true}
	f.Report("nodes", once.Epoch(in.Nodes.Partitions, in.Nodes.Buffer).ReadWriteGB)
	return nil
}

//go:embed *.csv *.yaml
var files embed.FS
