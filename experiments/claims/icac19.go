package claims

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/calibrate/ps"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
	"gonum.org/v1/gonum/stat"
)

func init() {
	Register("icac19-revocations", icac19Revocations)
	Register("icac19-speeds", icac19Speeds)
	Register("icac19-lifetimes", icac19Lifetimes)
}

// icac19Cluster is the mean of the undisturbed runs of one cluster.
type icac19Cluster struct {
	Experiment string  `col:"experiment"`
	K80        int     `col:"k80"`
	P100       int     `col:"p100"`
	V100       int     `col:"v100"`
	Servers    int     `col:"servers"`
	Runs       float64 `col:"runs"`
	Seconds    float64 `col:"duration_s"`
}

var icac19GPUs = []string{"K80", "P100", "V100"}

func (c *icac19Cluster) counts() []int { return []int{c.K80, c.P100, c.V100} }

// name is, for instance, mixed_gpu-2xK80+1xP100+1xV100-1ps.
func (c *icac19Cluster) name() string {
	var parts []string
	for i, n := range c.counts() {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%dx%s", n, icac19GPUs[i]))
		}
	}
	return fmt.Sprintf("%s-%s-%dps", c.Experiment, strings.Join(parts, "+"), c.Servers)
}

// icac19Clusters are all clusters, and the speed of one worker of each GPU with
// no parameter server, steps/s.
func icac19Clusters(steps float64) (clusters []icac19Cluster, single []float64) {
	single = make([]float64, len(icac19GPUs))
	for _, c := range facts.Read[icac19Cluster]("icac19_clusters") {
		if c.Servers > 0 {
			clusters = append(clusters, c)
			continue
		}
		for i, n := range c.counts() {
			if n > 0 {
				single[i] = steps / c.Seconds
			}
		}
	}
	return clusters, single
}

// point is the cluster as one for the capacity law.
func (c *icac19Cluster) point(steps float64, single []float64) ps.SpeedPoint {
	p := ps.SpeedPoint{Speed: steps / c.Seconds, Runs: c.Runs}
	for i, n := range c.counts() {
		p.Sum += float64(n) * single[i]
	}
	return p
}

// kinds returns how many kinds of GPU there are.
func (c *icac19Cluster) kinds() int {
	k := 0
	for _, n := range c.counts() {
		if n > 0 {
			k++
		}
	}
	return k
}

// icac19Run is one run on transient K80 workers with one parameter server.
type icac19Run struct {
	Workers   int     `col:"workers"`
	Zone      string  `col:"zone"`
	Run       string  `col:"run"`
	Completed int     `col:"completed"`
	Master    int     `col:"master_revoked"`
	Seconds   float64 `col:"duration_s"`
	Lost      string  `col:"revoked_at_s"`
	Uptimes   string  `col:"revoked_uptime_s"`
	USD       float64 `col:"cost_usd"`
	FigureUSD float64 `col:"figure_cost_usd"`
}

func (r *icac19Run) name() string { return fmt.Sprintf("%dxK80-%s-%s", r.Workers, r.Zone, r.Run) }

// numbers splits a cell of numbers.
func numbers(cell string) []float64 {
	if cell == "" {
		return nil
	}
	var out []float64
	for part := range strings.SplitSeq(cell, ";") {
		x, err := strconv.ParseFloat(part, 64)
		if err != nil {
			panic("claims: icac19_k80_spot: " + err.Error()) // embedded, and read by a test
		}
		out = append(out, x)
	}
	return out
}

// icac19K80Law fits the capacity law to the undisturbed K80 clusters with one
// parameter server and returns it with the speed of one worker.
func icac19K80Law(steps float64) (ps.Capacity, float64, error) {
	clusters, single := icac19Clusters(steps)
	law, err := ps.FitCapacity(icac19Points(clusters, steps, single, func(c *icac19Cluster) bool {
		return c.K80 > 0 && c.Servers == 1
	}))
	return law, single[0], err
}

// icac19Points are those of the clusters of one kind of GPU that are kept.
func icac19Points(clusters []icac19Cluster, steps float64, single []float64, keep func(c *icac19Cluster) bool) []ps.SpeedPoint {
	var points []ps.SpeedPoint
	for _, c := range clusters {
		if c.kinds() == 1 && keep(&c) {
			points = append(points, c.point(steps, single))
		}
	}
	return points
}

// icac19Revocations reports the durations of the runs that lost workers.
func icac19Revocations(f *Figure) error {
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
		s, err := trainFixed(in.Steps, speed, law, r.Workers, numbers(r.Lost))
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
// kind of GPU; and the errors that such a cluster would have if it were left out.
func icac19Speeds(f *Figure) error {
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
		points := icac19Points(clusters, in.Steps, single, func(c *icac19Cluster) bool { return c.Servers == count })
		law, err := ps.FitCapacity(points)
		if err != nil {
			return err
		}
		out, err := ps.LeaveOneOut(points)
		if err != nil {
			return err
		}
		laws[count], left = law, append(left, out...)
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
	reportErrors(f, "left-out", left)
	return nil
}

// icac19Speed simulates a cluster and returns its speed.
func icac19Speed(c *icac19Cluster, steps float64, single []float64, law ps.Capacity) (float64, error) {
	var pools []sim.History
	for i, n := range c.counts() {
		pools = append(pools, servers(icac19GPUs[i], n, 0, nil))
	}
	job, err := train(&ps.Steps{Total: steps, Speeds: single, Capacity: law}, &policies.Fixed{}, pools...)
	return steps / job.Elapsed.Seconds(), err
}

// reportErrors reports the mean and the largest of errors.
func reportErrors(f *Figure, item string, errs []float64) {
	f.Report(item+"-mean-error", stat.Mean(errs, nil))
	f.Report(item+"-largest-error", slices.Max(errs))
}

// icac19Lifetimes reports how many machines were revoked at each age in hours.
func icac19Lifetimes(f *Figure) error {
	type fact struct {
		GPU     string  `col:"gpu"`
		Revoked int     `col:"revoked"`
		Seconds float64 `col:"lifetime_s"`
		Servers int     `col:"servers"`
	}
	for _, gpu := range []string{"CPU", "K80"} {
		n, lost := 0, []float64{}
		for _, r := range facts.Read[fact]("icac19_lifetimes") {
			if r.GPU != gpu {
				continue
			}
			n += r.Servers
			for range r.Servers * r.Revoked {
				lost = append(lost, max(r.Seconds, 1)) // by the minute: 0 is less than one
			}
		}
		hours, _, err := live(servers(gpu, n, 0, lost), longest)
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
