package synchrony

import (
	"embed"
	"fmt"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/calibrate/ps"
	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/steps"
)

// syncSwitchJob is a job of Sync-Switch (ICDCS 2021): workers alike that train with a
// barrier for a part of the job and without for the rest.
type syncSwitchJob struct {
	Workers      int
	MiniBatch    float64 // mean seconds of a worker's mini-batch
	Spread       float64 // of its logarithm
	ExchangeEach float64 // seconds that each worker adds to an iteration with a barrier
}

// switchRates is a row of the facts that a SwitchJob is fitted to.
type switchRates struct {
	Workload string  `col:"workload"`
	Workers  int     `col:"workers"`
	ASP      float64 `col:"asp_s_per_update"`
	BSP      float64 `col:"bsp_s_per_iteration"`
}

// fitSyncSwitch fits a job to the measured rates of a workload ("resnet32"): the
// mini-batch to asynchronous training, and what is then missing in the iteration
// with a barrier to the exchange.
func fitSyncSwitch(workload string, spread float64) (syncSwitchJob, error) {
	for _, r := range facts.ReadFrom[switchRates](files, "rates") {
		if r.Workload == workload {
			return fitSwitch(r.Workers, r.ASP, r.BSP, spread), nil
		}
	}
	return syncSwitchJob{}, fmt.Errorf("no rates of workload %q", workload)
}

// fitSwitch takes seconds per update of all workers and per iteration.
func fitSwitch(workers int, asp, bsp, spread float64) syncSwitchJob {
	y := ps.Synchrony{Mode: steps.BSP, Sigma: spread}
	j := syncSwitchJob{Workers: workers, MiniBatch: asp * float64(workers), Spread: spread}
	alone := y.Iteration(workers, 1/j.MiniBatch)
	j.ExchangeEach = (bsp - alone) / float64(workers)
	return j
}

// Config returns the job as mini-batches one by one until updates of them are
// done; delays makes stragglers of the first workers, seconds a mini-batch.
func (j *syncSwitchJob) Config(mode steps.Mode, updates int, seed uint64, delays ...float64) steps.Config {
	y := ps.Synchrony{Sigma: j.Spread}
	c := steps.Config{Mode: mode, Updates: updates, Seed: seed, ExchangeEach: units.Seconds(j.ExchangeEach)}
	for i := range j.Workers {
		w := steps.Worker{Seconds: y.Distribution(j.MiniBatch)}
		if i < len(delays) {
			w.Slow = []steps.Slowdown{{To: sim.Never, Factor: 1, Delay: units.Seconds(delays[i])}}
		}
		c.Workers = append(c.Workers, w)
	}
	return c
}

// straggler is a measured rate of Sync-Switch's jobs with delayed workers, a row
// of the facts syncswitch_stragglers.
type straggler struct {
	Mode    string  `col:"mode"`
	DelayMs int     `col:"delay_ms"`
	Workers int     `col:"stragglers"`
	Rate    float64 `col:"steps_per_s"` // mini-batches of all workers
}

// fitStraggler fits a job of n workers to the rates without stragglers, and
// what a delay in milliseconds adds to a mini-batch to the rate with a barrier and
// one straggler, seconds.
func fitStraggler(workers, delayMs int, spread float64) (j syncSwitchJob, added float64) {
	rate := func(mode string, delay, stragglers int) float64 {
		for _, r := range facts.ReadFrom[straggler](files, "stragglers") {
			if r.Mode == mode && r.DelayMs == delay && r.Workers == stragglers {
				return r.Rate
			}
		}
		panic("ps: no rate of such stragglers")
	}
	n := float64(workers)
	j = fitSwitch(workers, 1/rate("asp", 0, 0), n/rate("bsp", 0, 0), spread)
	return j, n/rate("bsp", delayMs, 1) - n/rate("bsp", 0, 0)
}

//go:embed *.csv *.yaml
var files embed.FS
