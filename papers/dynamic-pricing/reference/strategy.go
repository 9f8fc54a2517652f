package reference

import "slices"

// Strategy is one of the published ways to choose.
type Strategy struct {
	Name string
	Step bool // chooses again every day

	kinds  []Instance // that it chooses among; nil: all
	speeds bool       // ranks by steps per dollar; else by the price alone
	fee    float64    // USD, added once to a job that ends within the prices
}

// strategies in the published order.
var strategies = []Strategy{
	{Name: "baseline", kinds: []Instance{reference}},
	{Name: "gpu_type", kinds: []Instance{{AWS, "", "k80", 1}, reference}, speeds: true},
	{Name: "packed", kinds: kinds[:6], speeds: true},
	{Name: "multi_cloud", speeds: true},
	{Name: "preemption", Step: true, speeds: true},
	{Name: "preemption_data_movement", Step: true, speeds: true, fee: 9},
}

// Strategies returns the published strategies: baseline takes one V100; gpu_type the
// better of K80 and V100; packed one GPU of any instance of AWS; multi_cloud of Azure
// too; preemption is multi_cloud that chooses again every day, free; and
// preemption_data_movement adds 9 USD to the job, once.
func Strategies() []Strategy { return slices.Clone(strategies) }

// Speeds are the steps per second of a job on one GPU, by GPU.
type Speeds map[string]float64

// choose returns the best of the offers; false: there is none.
func (s *Strategy) choose(offers []Price, speeds Speeds) (best Price, any bool) {
	largest := 0.0
	for _, p := range offers {
		if s.kinds != nil && !slices.Contains(s.kinds, p.kind()) {
			continue
		}
		if value := s.value(&p, speeds); !any || value > largest {
			best, largest, any = p, value, true
		}
	}
	return best, any
}

// value returns what a strategy maximises.
func (s *Strategy) value(p *Price, speeds Speeds) float64 {
	if !s.speeds {
		return -p.USDPerH
	}
	price := p.USDPerH
	if p.Cloud != Azure { // the public code ranks Azure by the price of the whole instance
		price /= float64(p.GPUs)
	}
	return speeds[p.GPU] / price
}
