package icac19

import (
	"embed"
	"fmt"
	"strconv"
	"strings"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/calibrate/ps"
)

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
	for _, c := range facts.ReadFrom[icac19Cluster](files, "clusters") {
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
func icac19Points(clusters []icac19Cluster, steps float64, single []float64,
	keep func(c *icac19Cluster) bool) []ps.SpeedPoint {
	var points []ps.SpeedPoint
	for _, c := range clusters {
		if c.kinds() == 1 && keep(&c) {
			points = append(points, c.point(steps, single))
		}
	}
	return points
}

// icac19Names are the names of the clusters that icac19Points has points of, in its order.
func icac19Names(clusters []icac19Cluster, keep func(c *icac19Cluster) bool) []string {
	var names []string
	for _, c := range clusters {
		if c.kinds() == 1 && keep(&c) {
			names = append(names, c.name())
		}
	}
	return names
}

//go:embed *.csv *.yaml
var files embed.FS
