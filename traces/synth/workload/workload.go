// Package workload makes the jobs of a cluster instead of reading them.
package workload

// Job is one job that a generator made.
type Job struct {
	Arrival  float64 // s since the beginning
	Kind     string  // key of the table of speeds
	GPUs     int     // all at once
	Steps    float64 // to do: mini-batches a GPU
	Duration float64 // s alone on GPUs of the fastest model
	Weight   float64 // among jobs that share
	// DeadlineFactor is the deadline as a multiple of Duration; 0: none.
	DeadlineFactor float64
}
