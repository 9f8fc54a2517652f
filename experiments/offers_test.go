package experiments

import (
	"testing"

	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/near"
)

const offersText = `name: offers
model:
  data_parallel:
    samples: 720000
    batch: 64
    measured: [{type: a, workers: 1, samples_per_s: 10}, {type: a, workers: 4, samples_per_s: 40}]
    workers: {max: 4}
    restart_s: 60
objectives: [{within: 9h}]
policies: [{name: ondemand}]
market:
  boot: {median_s: 0, sigma: 0}
  synthetic: {zones: 1}
  pools: [{type: a, quota: 4, on_demand_quota: 4, on_demand_usd_per_h: 3, queue: {wait_s: 7200, length_s: 14400}}]
  commitments: [{kind: capacity_block, type: a, instances: 4, usd_per_h: 1, from_h: 3, until_h: 11}]
`

// 720,000 samples take 20 instance-hours, so 5 h on four and 10 h on two. On demand three are in time, at 3 USD: 60
// USD, as four are, which are sooner. The block of four begins at 3 h and costs 32 USD, used or not. The queue ends
// after 4 h, when 80 % is done.
func TestOffersByArithmetic(t *testing.T) {
	check := near.Count(t)
	s, err := spec.Parse("offers.yaml", []byte(offersText))
	if err != nil {
		t.Fatal(err)
	}
	study, err := NewStudy(s)
	if err != nil {
		t.Fatal(err)
	}
	list, err := study.Offers(0)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]*Offer{}
	for i := range list {
		kinds[list[i].Kind] = &list[i]
	}
	block, demand, queue := kinds["capacity block"], kinds["on demand"], kinds["queue"]
	if block == nil || demand == nil || queue == nil || len(list) != 3 {
		t.Fatalf("%+v", list)
	}
	if !block.Chosen || block.Instances != 4 || check.Off(block.USD, 32, 1e-9) || check.Off(*block.FinishH, 3+5, 1e-6) {
		t.Errorf("block: %+v", block)
	}
	if demand.Chosen || !demand.InTime || check.Off(demand.USD, 60, 1e-6) {
		t.Errorf("on demand: %+v", demand)
	}
	if queue.InTime || queue.FinishH != nil || check.Off(queue.StartH, 2, 1e-9) {
		t.Errorf("queue: %+v", queue)
	}
}
