package cluster

// Failures says how machines fail and come back: servers, instances on demand, or those of a capacity block. A machine is a server with all
// its GPUs, or an instance.
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
		return at(place, "standbys or spares of servers, expected more servers (count): the scheduler places jobs on those that are up")
	}
	return nil
}
