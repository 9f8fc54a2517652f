package cmdare

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/marigram/marigram/papers/internal/world"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/calibrate/ps"
	"github.com/marigram/marigram/papers"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
	"gonum.org/v1/gonum/stat"
)

// cmdareCurve is the measured speeds of 1 to 8 workers.
type cmdareCurve struct {
	gpu, network string
	servers      int
	single       float64 // steps/s of one worker
	points       []ps.SpeedPoint
}

func (c *cmdareCurve) name() string {
	return fmt.Sprintf("%s-%dps-%s", c.gpu, c.servers, c.network)
}

// cmdareCurves are the twelve curves of CM-DARE, points in the order of workers.
func cmdareCurves() []cmdareCurve {
	type fact struct {
		GPU     string  `col:"gpu"`
		Servers int     `col:"servers"`
		Network string  `col:"model"`
		Workers int     `col:"workers"`
		Speed   float64 `col:"steps_per_s"`
	}
	var curves []cmdareCurve
	for _, r := range facts.Read[fact]("cmdare_cluster_speeds") {
		if r.Workers == 1 {
			curves = append(curves, cmdareCurve{gpu: r.GPU, network: r.Network, servers: r.Servers, single: r.Speed})
		}
		c := &curves[len(curves)-1]
		c.points = append(c.points, ps.SpeedPoint{Sum: float64(r.Workers) * c.single, Speed: r.Speed, Runs: 1})
	}
	return curves
}

// cmdareSpeeds reports the speed of each measured cluster, by the law that is
// fitted to its curve and by the one that is fitted to the other points of the
// curve, and the mean error of the latter.
func cmdareSpeeds(f *papers.Figure) error {
	var in struct {
		Steps float64 `json:"steps"`
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	var left []float64
	for _, c := range cmdareCurves() {
		law, err := ps.FitCapacity(c.points)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name(), err)
		}
		others, err := world.LeaveOneOut(c.points)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name(), err)
		}
		for n := 1; n <= len(c.points); n++ {
			f.Report(fmt.Sprintf("%s-%d-left-out", c.name(), n), others[n-1])
			left = append(left, math.Abs(others[n-1]/c.points[n-1].Speed-1))
			s, err := world.TrainFixed(in.Steps, c.single, law, n, nil)
			if err != nil {
				return err
			}
			f.Report(fmt.Sprintf("%s-%d", c.name(), n), in.Steps/s)
		}
	}
	f.Report("left-out-mean-error", stat.Mean(left, nil))
	return nil
}

// cmdareStartup reports the mean start-up times of simulated machines, by the
// boot law that is fitted to the samples.
func cmdareStartup(f *papers.Figure) error {
	var in struct {
		Machines int `json:"machines"`
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	for _, gpu := range []string{"K80", "P100"} {
		for _, market := range []string{"on_demand", "preemptible"} {
			for _, region := range []string{"us-east", "us-west"} {
				boot, err := ps.FitBoot(startupTimes(gpu, market, region))
				if err != nil {
					return err
				}
				pool := world.Machines(gpu, in.Machines, 0, nil)
				pool.Boot = boot
				_, job, err := world.Live(pool, time.Hour)
				if err != nil {
					return err
				}
				f.Report(strings.Join([]string{gpu, market, region}, "-"),
					job.Activities[sim.Starting].Seconds()/float64(in.Machines))
			}
		}
	}
	return nil
}

// cmdareRemaining reports the time that a job takes from the loss of a worker
// that is replaced at once, and how far it is from the measured time. Nothing is
// fitted to these runs: the speed is by the capacity law of the cluster speeds,
// the replacement by the measured start-up and set-up times.
func cmdareRemaining(f *papers.Figure) error {
	var in struct {
		GPU, Network, Market string
		Workers              int
		Steps                float64
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	model := &world.Steps{Total: in.Steps}
	for _, c := range cmdareCurves() {
		if c.gpu == in.GPU && c.network == in.Network && c.servers == 1 {
			law, err := ps.FitCapacity(c.points)
			if err != nil {
				return err
			}
			model.Speeds, model.Capacity = []float64{c.single}, law
		}
	}
	delay := stat.Mean(startupTimes(in.GPU, in.Market, ""), nil) + stat.Mean(setupTimes(in.Network, "cold"), nil)
	if model.Speeds == nil || math.IsNaN(delay) {
		return fmt.Errorf("no measured speeds, start-up or set-up times of %s on %s, %s", in.Network, in.GPU, in.Market)
	}
	type fact struct {
		Case   string  `col:"case"`
		Done   float64 `col:"done_steps"`
		Actual float64 `col:"actual_s"`
	}
	var errs []float64
	for _, r := range facts.Read[fact]("cmdare_remaining") {
		s, err := remaining(model, in.Workers, r.Done, delay)
		if err != nil {
			return err
		}
		f.Report(r.Case, s)
		errs = append(errs, math.Abs(s/r.Actual-1))
	}
	f.ReportErrors("all", errs)
	return nil
}

// remaining simulates a job whose machines take a delay to boot, loses one when
// n steps are done, and returns the seconds from there to the end.
func remaining(model *world.Steps, workers int, done, delay float64) (float64, error) {
	lost := delay + done/model.Capacity.Speed(float64(workers)*model.Speeds[0])
	pool := world.Machines("worker", workers, 0, []float64{lost})
	pool.Nodes = append(pool.Nodes, sim.NodeEvent{At: sim.At(lost) + 1, Node: 0, Up: true})
	pool.Boot.Median = time.Duration(delay * float64(time.Second))
	job, err := world.Train(model, &policies.Fixed{Replace: true}, pool)
	return job.Elapsed.Seconds() - lost, err
}
