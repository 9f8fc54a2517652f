// Package reference has the rules of Sailor's public simulator (eth-easl/sailor at cf2c8e3), written anew: the time of
// a step and the memory of a GPU of a layout. Slips of it are kept, because its numbers depend on them.
package reference

import (
	"github.com/marigram/marigram/calibrate/layout"
)

// Simulator computes what Sailor's simulator does, with parameters of 4 bytes and Adam.
type Simulator struct {
	Profile *layout.Profile
	Links   *layout.Links
}

// Step returns the time of a step, seconds.
func (s *Simulator) Step(l *layout.Layout) (float64, error) {
	compute, update, err := s.compute(l)
	if err != nil {
		return 0, err
	}
	transfers, err := s.transfers(l)
	if err != nil {
		return 0, err
	}
	total, slowest := 0.0, 0.0
	for i := range compute {
		total += compute[i] + transfers[i]
		slowest = max(slowest, compute[i]+transfers[i])
	}
	sync, err := s.sync(l)
	return float64(l.MicroBatches()-1)*slowest + total + update + sync, err
}

// compute returns forward and backward of each stage on its slowest replica, and the longest update of one layer.
func (s *Simulator) compute(l *layout.Layout) (stages []float64, update float64, err error) {
	stages = make([]float64, len(l.Stages))
	for i := range l.Stages {
		for _, p := range l.Stages[i].Replicas {
			times, err := s.Profile.Times(layout.Point{GPU: p.GPU, Micro: l.Micro, TP: p.TP})
			if err != nil {
				return nil, 0, err
			}
			sum := 0.0
			for _, layer := range l.Stages[i].Layers {
				sum += times[layer].Forward + times[layer].Backward
			}
			stages[i], update = max(stages[i], sum), max(update, times[l.Stages[i].Layers[0]].Update)
		}
	}
	return stages, update, nil
}

// transfers returns what each stage sends of a micro-batch: activations to the next and gradients to the one before,
// both of the size of activations. The last counts its gradients twice; the first its activations twice, but not with
// three stages or fewer.
func (s *Simulator) transfers(l *layout.Layout) ([]float64, error) {
	last := len(l.Stages) - 1
	out := make([]float64, len(l.Stages))
	for i := range l.Stages {
		activations, err := s.send(l, i, i+1, l.Stages[i].Layers[len(l.Stages[i].Layers)-1])
		if err != nil {
			return nil, err
		}
		gradients, err := s.send(l, i, i-1, l.Stages[i].Layers[0])
		if err != nil {
			return nil, err
		}
		switch {
		case i == last:
			out[i] = 2 * gradients
		case i > 0:
			out[i] = activations + gradients
		case last < 3:
			out[i] = activations
		default:
			out[i] = 2 * activations
		}
	}
	return out, nil
}

// send returns the longest transfer of a layer's output from stage i to another; 0 if there is none.
func (s *Simulator) send(l *layout.Layout, i, other, layer int) (float64, error) {
	if other < 0 || other == len(l.Stages) {
		return 0, nil
	}
	sizes, err := s.Profile.Sizes(1)
	if err != nil {
		return 0, err
	}
	longest := 0.0
	to := l.Stages[other].Replicas
	for j, p := range l.Stages[i].Replicas {
		c, err := s.Links.Curve(end(p), end(to[j%len(to)]))
		if err != nil {
			return 0, err
		}
		longest = max(longest, c.Seconds(4*sizes[layer].Output*float64(l.Micro)))
	}
	return longest, nil
}

func end(p layout.Place) layout.End {
	return layout.End{Zone: p.Zone, GPU: p.GPU, GPUs: min(p.TP, p.Node)}
}

// sync returns the longest all-reduce of a stage over the link of one GPU. The tensor parallelism that divides it is at
// most 4.
func (s *Simulator) sync(l *layout.Layout) (float64, error) {
	sizes, err := s.Profile.Sizes(1)
	if err != nil {
		return 0, err
	}
	longest := 0.0
	for i := range l.Stages {
		replicas := l.Stages[i].Replicas
		tp, bytes := 4, 0.0
		for _, p := range replicas {
			tp = min(tp, p.TP)
		}
		for _, layer := range l.Stages[i].Layers {
			bytes += 4 * sizes[layer].Params / float64(tp)
		}
		for j := 1; j < len(replicas); j++ {
			from, to := end(replicas[j-1]), end(replicas[j])
			from.GPUs, to.GPUs = 1, 1
			c, err := s.Links.Curve(from, to)
			if err != nil {
				return 0, err
			}
			longest = max(longest, c.AllReduce(bytes, len(replicas)))
		}
	}
	return longest, nil
}

// Memory of Sailor's simulator, bytes: kernels and context, and copies of the parameters by byte of them: parameters,
// gradients, two moments, one for communication and one of DeepSpeed.
const (
	kernels = 4.76e9 + 300e6
	copies  = 6
)

// Memory returns the largest memory of a GPU, bytes. Every stage holds as many micro-batches as it is stages from the
// end, however few micro-batches there are.
func (s *Simulator) Memory(l *layout.Layout) (float64, error) {
	largest := 0.0
	for i := range l.Stages {
		for _, p := range l.Stages[i].Replicas {
			sizes, err := s.Profile.Sizes(p.TP)
			if err != nil {
				return 0, err
			}
			params, activations := 0.0, 0.0
			for _, layer := range l.Stages[i].Layers {
				params += 4 * sizes[layer].Params
				activations += 4 * sizes[layer].Activations * float64(l.Micro)
			}
			largest = max(largest, kernels+copies*params+activations*float64(len(l.Stages)-i))
		}
	}
	return largest, nil
}
