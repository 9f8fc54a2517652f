package policies

import (
	"cmp"
	"slices"
)

// Offer is one way to train: instances on which the time of an epoch is known.
type Offer struct {
	InstanceType string  `json:"instance_type"`
	Instances    int     `json:"instances"`
	GPUs         int     `json:"gpus"`          // of all instances; 0: not known
	BatchPerGPU  int     `json:"batch_per_gpu"` // 0: not known
	EpochS       float64 `json:"epoch_s"`
	USDPerH      float64 `json:"usd_per_h"` // of all instances
	Warning      string  `json:"warning,omitempty"`
}

// Recommended is an offer with what training on it takes.
type Recommended struct {
	Offer
	TrainS  float64 `json:"training_time_s"`
	CostUSD float64 `json:"cost_usd"`
	LateS   float64 `json:"late_s"` // beyond the budget; 0 if within
}

// Recommend returns the offers for training of that many epochs within a time, best
// first: those within the time by cost, the others by how late they are; the
// earlier offer at a tie. It is a reading of the recommendation in Stash (ICDCS
// 2023): each instance type costs its price times the measured time. The paper's
// own tables are not published as data.
func Recommend(offers []Offer, epochs, withinS float64) []Recommended {
	out := make([]Recommended, len(offers))
	for i, offer := range offers {
		train := offer.EpochS * epochs
		out[i] = Recommended{
			Offer:   offer,
			TrainS:  train,
			CostUSD: train * offer.USDPerH / 3600,
			LateS:   max(train-withinS, 0),
		}
	}
	slices.SortStableFunc(out, func(a, b Recommended) int {
		return cmp.Or(cmp.Compare(a.LateS, b.LateS), cmp.Compare(a.CostUSD, b.CostUSD))
	})
	return out
}
