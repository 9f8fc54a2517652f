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
	Slow       *Slow     `json:"slow,omitempty" excludes:"on_demand" jsonschema:"how these servers become slow and are fast again; they do not if absent"`
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
		s := &all[i]
		place := fmt.Sprintf("$.market.servers[%d]", i)
		switch {
		case strings.ContainsAny(s.GPU, "/|\\"):
			return at(place+".gpu", "%q, expected the name of a model of GPU", s.GPU)
		case s.OnDemand && s.Count > 1:
			return at(place+".count", "%d, expected none: what is rented on demand is no server of the cluster",
				s.Count)
		}
		gpus += s.GPUs * s.Number()
		servers += s.Number()
		if gpus > maxGPUs || servers > maxServers {
			return at(place, "more than %d GPUs or %d servers in all", maxGPUs, maxServers)
		}
	}
	return nil
}

// Number is how many servers there are.
func (s *Servers) Number() int { return max(s.Count, 1) }

// Tier is places of one kind that servers are in: racks, or what racks are in.
type Tier struct {
	Name string `json:"name" jsonschema:"what such a place is called: rack, pod, building"`
	Of   int    `json:"of,omitempty" min:"1" max:"65536" jsonschema:"how many of the tier below are in one, in their order: of the first, servers; of the others, places of the tier before. May be left out of the first: its places are then those of per_rack"`
}

// CheckTiers reports what is wrong with tiers, which are at $.market.tiers.
func CheckTiers(tiers []Tier, servers []Servers, at At) error {
	seen := map[string]bool{"server": true}
	for k := range tiers {
		t, place := &tiers[k], fmt.Sprintf("$.market.tiers[%d]", k)
		switch {
		case seen[t.Name]:
			return at(place+".name", "%q, expected a name that is used once, and not server", t.Name)
		case t.Of == 0 && k > 0:
			return at(place, "of is missing, expected how many of %s are in one", tiers[k-1].Name)
		}
		seen[t.Name] = true
	}
	for i := range servers {
		if servers[i].PerRack > 0 && len(tiers) > 0 && tiers[0].Of > 0 {
			return at(fmt.Sprintf("$.market.servers[%d].per_rack", i),
				"%d, but market.tiers says how many servers are in one %s (of: %d); expected one of them",
				servers[i].PerRack, tiers[0].Name, tiers[0].Of)
		}
	}
	if len(tiers) > 0 && len(servers) == 1 && servers[0].OnDemand {
		return at("$.market.tiers", "tiers of servers, but there are none: expected market.servers")
	}
	return nil
}

// Spans says in words how far apart two servers can be: one for each tier, and beyond the widest.
func Spans(tiers []Tier) []string {
	if len(tiers) == 0 {
		tiers = []Tier{{Name: "rack"}}
	}
	var spans []string
	for k := range tiers {
		spans = append(spans, "within one "+tiers[k].Name)
	}
	return append(spans, "beyond one "+tiers[len(tiers)-1].Name)
}

// Failures says how machines fail and come back: servers, instances on demand, or those of a capacity block. A machine
// is a server with all its GPUs, or an instance.
type Failures struct {
	Per1000NodeDays float64 `json:"per_1000_node_days,omitempty" above:"0" max:"1e6" either:"law" jsonschema:"failures per 1,000 machine-days, at exponential times unless law says other ones: 4.2 of InfiniteHBD, 3.8 of Llama 3, 6.5 of Meta"`
	Trace           string  `json:"trace,omitempty" either:"law" excludes:"bad,only_while_training,undiagnosed,misdiagnosed,repair,retire" jsonschema:"instead: recorded faults, a file of the format faults relative to this file, or pulled:infinitehbd-faults; each machine is one that was recorded, from the start of the traces on"`

	Law   string  `json:"law,omitempty" names:"exponential,weibull,lognormal" needs:"per_1000_node_days" jsonschema:"of the times between failures of a machine, from the run's start or its last repair: exponential, weibull or lognormal, all of the mean that per_1000_node_days says; exponential if absent"`
	Shape float64 `json:"shape,omitempty" above:"0" max:"20" needs:"law=weibull" jsonschema:"of weibull: below 1 new machines fail more, above 1 old ones"`
	Sigma float64 `json:"sigma,omitempty" above:"0" max:"5" needs:"law=lognormal" jsonschema:"of lognormal: standard deviation of the logarithm"`

	Bad               *BadMachines  `json:"bad,omitempty" jsonschema:"machines that fail more often, until a repair works; none if absent"`
	OnlyWhileTraining bool          `json:"only_while_training,omitempty" jsonschema:"machines fail only while a job trains on them (exponential times)"`
	DetectS           float64       `json:"detect_s,omitempty" min:"0" max:"864000" jsonschema:"time from a failure until it is seen, as a hang by a watchdog: nothing replaces the machine before; 0 if absent"`
	Undiagnosed       float64       `json:"undiagnosed,omitempty" min:"0" max:"1" jsonschema:"share of failures after which the machine is back at once, without a repair; 0 if absent"`
	Misdiagnosed      float64       `json:"misdiagnosed,omitempty" min:"0" max:"1" jsonschema:"share of failures after which another machine is repaired in its place; 0 if absent"`
	Repair            []RepairStage `json:"repair,omitempty" items:"4" jsonschema:"stages of a repair; if absent, one of 20.4 h (median) as of InfiniteHBD, which works"`

	Standbys int     `json:"standbys,omitempty" min:"0" max:"1048576" jsonschema:"machines beyond the quota that are up and idle: instances on one are ready at once. Not of servers, where the scheduler has what jobs do not hold; 0 if absent"`
	Spares   *Spares `json:"spares,omitempty" jsonschema:"machines beyond these that do other work until they are taken; none if absent. Not of servers"`
	Retire   *Retire `json:"retire,omitempty" jsonschema:"when a machine is not repaired any more; never if absent"`
}

// BadMachines are machines that fail more often.
type BadMachines struct {
	Share float64 `json:"share" min:"0" max:"1" jsonschema:"share of the machines"`
	Times float64 `json:"times" min:"0" max:"1e6" jsonschema:"their failures in addition to those of all: a multiple of these"`
}

// RepairStage is a stage of a repair.
type RepairStage struct {
	MedianH float64 `json:"median_h,omitempty" min:"0" max:"87600" either:"time" jsonschema:"its time: the median, with sigma; without sigma all take this time"`
	MeanH   float64 `json:"mean_h,omitempty" above:"0" max:"87600" either:"time" excludes:"sigma" jsonschema:"instead: the mean of exponential times"`
	Sigma   float64 `json:"sigma,omitempty" min:"0" max:"5" jsonschema:"standard deviation of the logarithm of the time; 0 if absent"`
	Share   float64 `json:"share,omitempty" min:"0" max:"1" jsonschema:"share of the machines that come to the stage whose repair ends with it; of the last stage all; 0 if absent"`
	Works   float64 `json:"works,omitempty" min:"0" max:"1" jsonschema:"share of these that are no bad machines any more; 0 if absent"`
}

// Spares are machines that do other work until they are taken.
type Spares struct {
	Count int     `json:"count" min:"1" max:"1048576" jsonschema:"how many"`
	WaitS float64 `json:"wait_s,omitempty" min:"0" max:"864000" jsonschema:"time until one that is taken is ready; the boot time if that is longer"`
}

// Retire says when a machine is not repaired any more.
type Retire struct {
	After   int     `json:"after" min:"1" max:"64" jsonschema:"number of failures"`
	WithinH float64 `json:"within_h" above:"0" max:"876000" jsonschema:"time in which they happen"`
}

// Check reports what goes together wrongly. Of whole servers there are no standbys and spares.
func (f *Failures) Check(place string, whole bool, at At) error {
	switch {
	case f.Law == "weibull" && f.Shape == 0:
		return at(place+".law", "weibull without a shape, expected one, such as 0.8")
	case f.Law == "lognormal" && f.Sigma == 0:
		return at(place+".law", "lognormal without sigma, expected one, such as 1")
	case f.OnlyWhileTraining && (f.Law == "weibull" || f.Law == "lognormal"):
		return at(place+".only_while_training", "true with the law %s, expected exponential", f.Law)
	case whole && (f.Standbys > 0 || f.Spares != nil):
		return at(place, "standbys or spares of servers, expected more servers (count): "+
			"the scheduler places jobs on those that are up")
	}
	return nil
}
