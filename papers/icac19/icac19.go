// Package transient computes the claims on clusters of transient servers: CM-DARE
// (ICDCS 2020) and Li, Walls and Guo (ICAC 2019).
package icac19

import (
	"fmt"
	"math"

	"github.com/marigram/marigram/papers/internal/world"

	"gonum.org/v1/gonum/stat"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/calibrate/ps"
	"github.com/marigram/marigram/papers"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
)

// icac19Revocations reports the durations of the runs that lost workers.
func icac19Revocations(f *papers.Figure) error {
	var in struct {
		Steps float64 `json:"steps"`
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	law, speed, err := icac19K80Law(in.Steps)
	if err != nil {
		return err
	}
	var errs []float64
	for _, r := range facts.Read[icac19Run]("icac19_k80_spot") {
		if r.Completed == 0 || r.Lost == "" {
			continue
		}
		s, err := world.TrainFixed(in.Steps, speed, law, r.Workers, numbers(r.Lost))
		if err != nil {
			return fmt.Errorf("%s: %w", r.name(), err)
		}
		f.Report(r.name(), s)
		errs = append(errs, math.Abs(s/r.Seconds-1))
	}
	f.Report("mean-error", stat.Mean(errs, nil))
	return nil
}

// icac19Speeds reports the speeds of all clusters with parameter servers by
// the laws that are fitted, for each number of servers, to the clusters of one
// kind of GPU; and of each of these the speed by the law that is fitted to all
// others, with the mean error of that.
func icac19Speeds(f *papers.Figure) error {
	var in struct {
		Steps float64 `json:"steps"`
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	clusters, single := icac19Clusters(in.Steps)
	var errs, left []float64
	laws := make([]ps.Capacity, 3) // by parameter servers
	for count := 1; count <= 2; count++ {
		keep := func(c *icac19Cluster) bool { return c.Servers == count }
		points := icac19Points(clusters, in.Steps, single, keep)
		law, err := ps.FitCapacity(points)
		if err != nil {
			return err
		}
		laws[count] = law
		others, err := world.LeaveOneOut(points)
		if err != nil {
			return err
		}
		names := icac19Names(clusters, keep)
		for i, speed := range others {
			f.Report(names[i]+"-left-out", speed)
			left = append(left, math.Abs(speed/points[i].Speed-1))
		}
	}
	for _, c := range clusters {
		v, err := icac19Speed(&c, in.Steps, single, laws[c.Servers])
		if err != nil {
			return err
		}
		f.Report(c.name(), v)
		errs = append(errs, math.Abs(v*c.Seconds/in.Steps-1))
	}
	f.Report("mean-error", stat.Mean(errs, nil))
	f.Report("left-out-mean-error", stat.Mean(left, nil))
	return nil
}

// icac19Speed simulates a cluster and returns its speed.
func icac19Speed(c *icac19Cluster, steps float64, single []float64, law ps.Capacity) (float64, error) {
	var pools []sim.Trace
	for i, n := range c.counts() {
		pools = append(pools, world.Machines(icac19GPUs[i], n, 0, nil))
	}
	job, err := world.Train(&world.Steps{Total: steps, Speeds: single, Capacity: law}, &policies.Fixed{}, pools...)
	return steps / job.Elapsed.Seconds(), err
}

// icac19Lifetimes reports how many machines were revoked at each age in hours.
func icac19Lifetimes(f *papers.Figure) error {
	type fact struct {
		GPU     string  `col:"gpu"`
		Revoked int     `col:"revoked"`
		Seconds float64 `col:"lifetime_s"`
		Servers int     `col:"servers"`
	}
	for _, gpu := range []string{"CPU", "K80"} {
		n, lost := 0, []float64{}
		for _, r := range facts.ReadFrom[fact](files, "lifetimes") {
			if r.GPU != gpu {
				continue
			}
			n += r.Servers
			for range r.Servers * r.Revoked {
				lost = append(lost, max(r.Seconds, 1)) // by the minute: 0 is less than one
			}
		}
		hours, _, err := world.Live(world.Machines(gpu, n, 0, lost), world.Longest)
		if err != nil {
			return err
		}
		var counts [24]int
		for _, h := range hours {
			counts[int(h)]++
		}
		for h, k := range counts {
			f.Report(fmt.Sprintf("%s-%d", gpu, h), float64(k))
		}
	}
	return nil
}
