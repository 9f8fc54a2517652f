// Package synchrony computes the claims on training modes: order statistics,
// Sync-Switch, stragglers.
package synchrony

import (
	"fmt"
	"slices"

	"github.com/marigram/marigram/papers"
	"github.com/marigram/marigram/sim/steps"
	"gonum.org/v1/gonum/stat/distuv"
)

// orderStatistics reports the mean iteration of exponential workers of mean 1.
func orderStatistics(f *papers.Figure) error {
	var in struct {
		BSP    []int    `json:"bsp"`
		Backup [][2]int `json:"backup"`
		ASP    []int    `json:"asp"`
		SSP    [][2]int `json:"ssp"`
		Clocks int      `json:"clocks"`
		Runs   int      `json:"runs"`
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	law := distuv.Exponential{Rate: 1}
	tail := tailOf(law)
	for _, n := range in.BSP {
		f.Report(fmt.Sprintf("bsp-%d", n), meanOf(barrier(tail, n, 0)))
	}
	for _, x := range in.Backup {
		f.Report(fmt.Sprintf("backup-%d-%d", x[0], x[1]), meanOf(barrier(tail, x[0], x[1])))
	}
	for _, n := range in.ASP {
		f.Report(fmt.Sprintf("asp-%d", n), meanOf(tail)) // whatever n
	}
	for _, x := range in.SSP {
		c := steps.Config{Mode: steps.SSP, Staleness: x[1], Clocks: in.Clocks,
			Workers: slices.Repeat([]steps.Worker{{Seconds: law}}, x[0])}
		f.Report(fmt.Sprintf("ssp-%d-%d", x[0], x[1]), meanEnd(c, in.Runs)/float64(in.Clocks))
	}
	return nil
}

// meanEnd returns the mean seconds of runs of steps that differ by their seeds.
func meanEnd(c steps.Config, runs int) float64 {
	var steps steps.Simulator
	sum := 0.0
	for i := range runs {
		c.Seed = uint64(i + 1)
		sum += steps.Run(c).End.Seconds()
	}
	return sum / float64(runs)
}

// switchJob is a job of Sync-Switch's that is simulated.
type switchJob struct {
	Item       string  `json:"item"`
	Workload   string  `json:"workload"`
	Workers    int     `json:"workers"`
	Updates    int     `json:"updates"`
	BSPPercent float64 `json:"bsp_percent"`
}

// duration returns how long, s, the job takes with a share of BSP, percent.
func (j *switchJob) duration(spread, percent float64) (float64, error) {
	job, err := fitSyncSwitch(j.Workload, spread)
	if err != nil {
		return 0, err
	}
	job.Workers = j.Workers
	var simulator steps.Simulator
	seconds, with := 0.0, int(float64(j.Updates)*percent/100)
	if with > 0 {
		seconds += simulator.Run(job.Config(steps.BSP, with, 1)).End.Seconds()
	}
	if with < j.Updates {
		seconds += simulator.Run(job.Config(steps.ASP, j.Updates-with, 2)).End.Seconds()
	}
	return seconds, nil
}

// switched reports the time of jobs against BSP alone, and that of one.
func switched(f *papers.Figure) error {
	var in struct {
		Spread float64     `json:"spread"`
		Jobs   []switchJob `json:"jobs"`
		Alone  switchJob   `json:"alone"`
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	for _, j := range in.Jobs {
		mixed, err := j.duration(in.Spread, j.BSPPercent)
		if err != nil {
			return err
		}
		alone, err := j.duration(in.Spread, 100)
		if err != nil {
			return err
		}
		f.Report(j.Item, mixed/alone)
	}
	alone, err := in.Alone.duration(in.Spread, 100)
	f.Report(in.Alone.Item, alone)
	return err
}

// stragglers reports the mini-batches per second of jobs with stragglers.
func stragglers(f *papers.Figure) error {
	var in struct {
		Spread  float64 `json:"spread"`
		Workers int     `json:"workers"`
		Updates int     `json:"updates"`
		Runs    []struct {
			Mode       string `json:"mode"`
			DelayMs    int    `json:"delay_ms"`
			Stragglers int    `json:"stragglers"`
		} `json:"runs"`
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	for _, r := range in.Runs {
		mode, err := steps.ParseMode(r.Mode)
		if err != nil {
			return err
		}
		job, added := fitStraggler(in.Workers, r.DelayMs, in.Spread)
		var steps steps.Simulator
		end := steps.Run(job.Config(mode, in.Updates, 1, slices.Repeat([]float64{added}, r.Stragglers)...)).End
		f.Report(fmt.Sprintf("%s-%dms-%d", r.Mode, r.DelayMs, r.Stragglers), float64(in.Updates)/end.Seconds())
	}
	return nil
}
