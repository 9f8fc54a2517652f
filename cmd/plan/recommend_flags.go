package plan

import "time"

// recommendFlags are the inputs of one recommendation.
type recommendFlags struct {
	profile, model, speeds, prices string
	where                          []string
	batch                          int
	globalBatch, workerBatch       float64
	workers                        int
	price                          map[string]string // USD an hour by instance type
	samples, epochs                float64
	within                         time.Duration
	json                           bool
}

// most is more samples and epochs than anybody trains, so that their product is finite.
const most = 1e15
