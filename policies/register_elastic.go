//go:build !js

package policies

import (
	"github.com/marigram/marigram/policies/schedulers/elastic"
	"github.com/marigram/marigram/sim"
)

func init() {
	registerScheduler("jobs of min_gpus to max_gpus: everybody the minimum, "+
		"then one GPU more at a time to the job whose remaining time it shortens most; knows how long jobs run",
		"Optimus (EuroSys 2018)", func() sim.Policy { return elastic.NewOptimus() })
	registerScheduler("jobs of min_gpus to max_gpus: everybody the minimum in the order of submission, "+
		"then one GPU more at a time for the job with the smallest part of its maximum (max-min)",
		"marigram", func() sim.Policy { return elastic.NewFair() })
	registerScheduler("jobs of min_gpus to max_gpus: the job that would end first gets its maximum, then the next; "+
		"knows how long jobs run",
		"marigram", func() sim.Policy { return elastic.NewSRTF() })
	registerScheduler("jobs of min_gpus to max_gpus, first come first served: a job starts on what is free, "+
		"grows every minute, and never shrinks for others, as jobs of Ray Train on a shared cluster",
		"Ray Train, github.com/ray-project/ray", func() sim.Policy { return elastic.NewRay() })
	registerScheduler("jobs of min_gpus to max_gpus: a search for the most speed beside an equal part, "+
		"weighed against restarts; like Pollux, whose own search is random and adapts batch sizes, too",
		"after Pollux (OSDI 2021)", func() sim.Policy { return elastic.NewPolluxLike() })
	registerScheduler("jobs that have had least service (time times GPUs) first, in two queues "+
		"that are looked at every minute: Tiresias as the authors of Pollux simulate it",
		"Tiresias (NSDI 2019), by the simulator of Pollux (OSDI 2021)",
		func() sim.Policy { return elastic.NewTiresiasTicks() })
}
