package notebooks

import (
	"fmt"
)

// Pool is hosts with GPUs and the rules of its autoscaler.
type Pool struct {
	GPUs    int     // of a host
	Every   int     // s between decisions of the autoscaler
	Scale   float64 // it wants the load times this, in hosts
	Limit   float64 // and gives back what is above the load times this
	Least   int     // hosts
	Buffer  int     // hosts beside Least that stay
	Release int     // most hosts given back at once
	Start   int     // s from the request of a host until it is ready, paid
	Stop    int     // s for which a host is paid that is given back
	Most    int     // hosts wanted at most
	Cold    int     // s before each cell: a container of its own, as a batch job has
}

// DefaultPool returns the settings of the page that the rules are from: hosts of eight
// GPUs, five of them at least.
func DefaultPool() Pool {
	return Pool{GPUs: 8, Every: 30, Scale: 1.05, Limit: 1.1, Least: 2, Buffer: 3, Release: 2, Start: 15, Stop: 10, Most: 64}
}

// Result is what sessions took.
type Result struct {
	HostH      float64 // paid
	GPUH       float64 // the same times the GPUs of a host
	SavedGPUH  float64 // less than if every session reserved its GPUs
	PeakHosts  int     // paid at one time, without those that stop
	Cells      int     // with GPUs
	Delays     []int   // of them from due to start, s, in the order in which they began
	MeanDelayS float64
	P95DelayS  int // the smallest that 95 % do not exceed
	LargestS   int
	EndS       int
}

// Check says what is wrong with the settings.
func (p *Pool) Check() error {
	for _, x := range []struct {
		name     string
		n, least int
	}{{"GPUs of a host", p.GPUs, 1}, {"seconds between decisions", p.Every, 1}, {"least hosts", p.Least, 0}, {"buffer", p.Buffer, 0}, {"hosts given back at once", p.Release, 0},
		{"seconds to start", p.Start, 0}, {"seconds to stop", p.Stop, 0}, {"most hosts", p.Most, 1}, {"seconds before a cell", p.Cold, 0}} {
		if x.n < x.least || x.n > 1e6 {
			return fmt.Errorf("%s: %d, expected %d to 1000000", x.name, x.n, x.least)
		}
	}
	if !(p.Scale > 0 && p.Scale < 1e3) || !(p.Limit >= p.Scale && p.Limit < 1e3) {
		return fmt.Errorf("scale %v, limit %v, expected more than 0, and the limit not below the scale", p.Scale, p.Limit)
	}
	return nil
}
