package experiments

import (
	"github.com/marigram/marigram/calibrate/notebooks"
	"github.com/marigram/marigram/experiments/results"
)

// addNotebooks fills what a row says of cells of notebooks.
func addNotebooks(r *results.Summary, x notebooks.Result) {
	if x.HostGPUs == 0 {
		return
	}
	gpuH := float64(x.HostGPUs) * r.InstanceH
	saved := x.Reserved - gpuH
	r.Cells, r.CellsLost, r.CellsMoved, r.PeakHosts = int64(x.Cells), int64(x.Lost), int64(x.Migrated), int64(x.PeakHosts)
	r.ProvisionedGPU, r.ReservedGPU, r.ActiveGPU, r.SavedGPU, r.LostGPU = &gpuH, &x.Reserved, &x.Active, &saved, &x.LostGPUH
	if x.Cells == 0 {
		return
	}
	mean, p50, p95, p99, most := x.MeanDelay(), x.Delay(0.5), x.Delay(0.95), x.Delay(0.99), x.Delay(1)
	r.DelayMeanS, r.DelayP50S, r.DelayP95S, r.DelayP99S, r.DelayMaxS = &mean, &p50, &p95, &p99, &most
}

// NotebooksAggregate sums up the runs of one policy with sessions of notebooks: means of the
// runs.
type NotebooksAggregate struct {
	Cells           float64  `json:"cells"`
	ReservedGPUH    float64  `json:"reserved_gpu_h"`
	ActiveGPUH      float64  `json:"active_gpu_h"`
	GPUH            float64  `json:"gpu_h"` // provisioned
	SavedGPUH       float64  `json:"saved_gpu_h"`
	DelayMeanS      *float64 `json:"cell_delay_mean_s"`
	DelayP50S       *float64 `json:"cell_delay_p50_s"`
	DelayP95S       *float64 `json:"cell_delay_p95_s"`
	DelayP99S       *float64 `json:"cell_delay_p99_s"`
	DelayMaxS       *float64 `json:"cell_delay_max_s"`
	CellsLost       float64  `json:"cells_lost"`
	LostGPUH        float64  `json:"lost_gpu_h"`
	CellsMoved      float64  `json:"cells_moved"`
	CostSpotUSD     float64  `json:"cost_spot_usd"`
	CostOnDemandUSD float64  `json:"cost_on_demand_usd"`
}

// aggregateNotebooks returns nil for runs of anything else.
func aggregateNotebooks(rows []results.Summary) *NotebooksAggregate {
	if rows[0].ReservedGPU == nil {
		return nil
	}
	mean := func(value func(*results.Summary) *float64) *float64 {
		var all []float64
		for i := range rows {
			if x := value(&rows[i]); x != nil {
				all = append(all, *x)
			}
		}
		return meanOf(all)
	}
	count := func(value func(*results.Summary) float64) float64 {
		return *mean(func(r *results.Summary) *float64 { x := value(r); return &x })
	}
	return &NotebooksAggregate{
		Cells:           count(func(r *results.Summary) float64 { return float64(r.Cells) }),
		ReservedGPUH:    *mean(func(r *results.Summary) *float64 { return r.ReservedGPU }),
		ActiveGPUH:      *mean(func(r *results.Summary) *float64 { return r.ActiveGPU }),
		GPUH:            *mean(func(r *results.Summary) *float64 { return r.ProvisionedGPU }),
		SavedGPUH:       *mean(func(r *results.Summary) *float64 { return r.SavedGPU }),
		DelayMeanS:      mean(func(r *results.Summary) *float64 { return r.DelayMeanS }),
		DelayP50S:       mean(func(r *results.Summary) *float64 { return r.DelayP50S }),
		DelayP95S:       mean(func(r *results.Summary) *float64 { return r.DelayP95S }),
		DelayP99S:       mean(func(r *results.Summary) *float64 { return r.DelayP99S }),
		DelayMaxS:       mean(func(r *results.Summary) *float64 { return r.DelayMaxS }),
		CellsLost:       count(func(r *results.Summary) float64 { return float64(r.CellsLost) }),
		LostGPUH:        *mean(func(r *results.Summary) *float64 { return r.LostGPU }),
		CellsMoved:      count(func(r *results.Summary) float64 { return float64(r.CellsMoved) }),
		CostSpotUSD:     count(func(r *results.Summary) float64 { return r.CostSpotUSD }),
		CostOnDemandUSD: count(func(r *results.Summary) float64 { return r.CostOnDemandUSD }),
	}
}
