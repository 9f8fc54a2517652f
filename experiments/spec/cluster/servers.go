package cluster

import (
	"fmt"
	"strings"
)

// Servers are servers of one kind: a fixed part of the cluster, or GPUs that are rented on demand.
type Servers struct {
	GPU        string    `json:"gpu" jsonschema:"model of GPU, by which tables of speeds and jobs call it"`
	GPUs       int       `json:"gpus" min:"1" max:"1048576" jsonschema:"GPUs of one server"`
	Count      int       `json:"count,omitempty" min:"1" max:"65536" jsonschema:"number of such servers; 1 if absent"`
	PerRack    int       `json:"per_rack,omitempty" min:"1" max:"65536" jsonschema:"servers at one switch, in their order; all if absent"`
	OnDemand   bool      `json:"on_demand,omitempty" excludes:"per_rack" jsonschema:"rented on demand, GPU by GPU, and paid while held: no part of the fixed cluster"`
	Failures   *Failures `json:"failures,omitempty" excludes:"on_demand" jsonschema:"how these servers fail and come back; they do not if absent"`
	USDPerGPUH float64   `json:"usd_per_gpu_h,omitempty" min:"0" max:"100000" jsonschema:"price of a GPU-hour, charged to the job that has the GPU; 0 if absent"`
}

const (
	maxGPUs    = 1 << 20 // of a cluster
	maxServers = 1 << 16
)

// CheckServers reports what is wrong with servers, which are at $.market.servers.
func CheckServers(all []Servers, at At) error {
	gpus, servers := 0, 0
	for i := range all {
		s, place := &all[i], fmt.Sprintf("$.market.servers[%d]", i)
		switch {
		case strings.ContainsAny(s.GPU, "/|\\"):
			return at(place+".gpu", "%q, expected the name of a model of GPU", s.GPU)
		case s.OnDemand && s.Count > 1:
			return at(place+".count", "%d, expected none: what is rented on demand is no server of the cluster", s.Count)
		}
		gpus, servers = gpus+s.GPUs*s.Number(), servers+s.Number()
		if gpus > maxGPUs || servers > maxServers {
			return at(place, "more than %d GPUs or %d servers in all", maxGPUs, maxServers)
		}
	}
	return nil
}

// Number is how many servers there are.
func (s *Servers) Number() int { return max(s.Count, 1) }
