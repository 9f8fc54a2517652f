package layout

// Cost is what a layout does in a step.
type Cost struct {
	Step   float64 // s: pipelines, gradients and update
	Sync   float64 // s of it: the all-reduce of gradients
	Slow   int     // the stage that sets the pace
	Memory float64 // largest of a GPU, bytes
	Full   int     // the stage of that GPU
	Egress float64 // USD of traffic between zones
	Moved  float64 // GB of 1e9 bytes of it
}

// Model computes the cost of layouts of one network.
type Model struct {
	Profile *Profile
	Links   *Links
	Runtime Runtime
}

// Cost returns time, memory and traffic of a layout.
//
// A stage takes, for a micro-batch, the forward and backward time of its layers on its slowest replica, and Exposed
// times the transfer of activations to each neighbour (gradients are as large). Of n micro-batches, n-1 go at the
// pace of the slowest stage, one goes through all (1F1B). Then gradients are added up in a ring over the replicas of
// each stage: all bytes of a stage go over the link of a node, which its tensor-parallel GPUs share; and parameters
// are updated. Where the bandwidth inside nodes is known (Links.SetInside), a stage that fits into a node adds up
// there, each GPU its own part, and two neighbours that fit into one send there.
func (m *Model) Cost(l *Layout) (c Cost, err error) {
	if err := l.Check(m.Profile.Layers()); err != nil {
		return c, err
	}
	compute, update, err := m.compute(l)
	if err != nil {
		return c, err
	}
	microBatches := float64(l.MicroBatches())
	pace := 0.0
	before := 0.0
	for i := range l.Stages {
		after, err := m.transfer(l, i)
		if err != nil {
			return c, err
		}
		alone := m.Runtime.alone(compute[i])
		stage := alone + m.Runtime.Exposed*(before+after)
		if stage > pace {
			pace = stage
			c.Slow = i
		}
		c.Step += alone + m.Runtime.Exposed*after
		before = after
		sync, err := m.sync(&l.Stages[i])
		if err != nil {
			return c, err
		}
		c.Sync = max(c.Sync, m.Runtime.Sync*sync)
	}
	c.Step += (microBatches-1)*pace + c.Sync + update
	if err := m.memory(l, &c); err != nil {
		return c, err
	}
	return c, m.traffic(l, &c)
}

// alone is what a stage takes for a micro-batch without transfers.
func (r *Runtime) alone(compute float64) float64 { return r.Compute*compute + 1e-6*r.StageUS }

// compute returns forward and backward of each stage for a micro-batch, and the longest update.
func (m *Model) compute(l *Layout) (stages []float64, update float64, err error) {
	stages = make([]float64, len(l.Stages))
	for i := range l.Stages {
		stage := &l.Stages[i]
		for j, place := range stage.Replicas {
			if j > 0 && place.GPU == stage.Replicas[j-1].GPU && place.TP == stage.Replicas[j-1].TP {
				continue
			}
			times, err := m.Profile.Times(Point{place.GPU, l.Micro, place.TP})
			if err != nil {
				return nil, 0, err
			}
			sum := 0.0
			for _, layer := range stage.Layers {
				sum += times[layer].Forward + times[layer].Backward
			}
			params, err := m.Profile.params(stage.Layers, place.TP)
			if err != nil {
				return nil, 0, err
			}
			stages[i] = max(stages[i], sum)
			update = max(update, times[stage.Layers[0]].Update+1e-12*m.Runtime.UpdatePS*params)
		}
	}
	return stages, update, nil
}

// transfer returns the longest transfer of a micro-batch's activations from stage i to the next, one way; 0 from the
// last.
func (m *Model) transfer(l *Layout, i int) (float64, error) {
	if i+1 == len(l.Stages) {
		return 0, nil
	}
	from := &l.Stages[i]
	to := &l.Stages[i+1]
	bytes := 4 * m.Profile.sizes[1][from.Layers[len(from.Layers)-1]].Output * float64(l.Micro)
	if from.alike() && to.alike() && from.Replicas[0] == to.Replicas[0] {
		place := from.Replicas[0]
		if curve, known := m.Links.within(place, place.TP*(len(from.Replicas)+len(to.Replicas))); known {
			return curve.Seconds(bytes), nil
		}
	}
	longest := 0.0
	var before [2]Place
	for j := range max(len(from.Replicas), len(to.Replicas)) {
		pair := [2]Place{from.Replicas[j%len(from.Replicas)], to.Replicas[j%len(to.Replicas)]}
		if j > 0 && pair == before {
			continue
		}
		before = pair
		curve, err := m.Links.between(pair[0], pair[1])
		if err != nil {
			return 0, err
		}
		longest = max(longest, curve.Seconds(bytes))
	}
	return longest, nil
}

// alike reports whether all replicas of a stage are on places of one kind.
func (s *Stage) alike() bool {
	for _, place := range s.Replicas[1:] {
		if place != s.Replicas[0] {
			return false
		}
	}
	return true
}

// sync returns the all-reduce of a stage's gradients over its slowest link.
func (m *Model) sync(s *Stage) (float64, error) {
	bytes := 0.0
	longest := 0.0
	for _, layer := range s.Layers {
		bytes += 4 * m.Profile.sizes[1][layer].Params
	}
	if place := s.Replicas[0]; s.alike() {
		if curve, known := m.Links.within(place, place.TP*len(s.Replicas)); known {
			return curve.AllReduce(bytes/float64(place.TP), len(s.Replicas)), nil
		}
	}
	for j := 1; j < len(s.Replicas); j++ {
		if j > 1 && s.Replicas[j-1] == s.Replicas[j-2] && s.Replicas[j] == s.Replicas[j-1] {
			continue
		}
		curve, err := m.Links.between(s.Replicas[j-1], s.Replicas[j])
		if err != nil {
			return 0, err
		}
		longest = max(longest, curve.AllReduce(bytes, len(s.Replicas)))
	}
	return longest, nil
}

// memory sets the largest memory of a GPU. A stage that is k-th from the last holds the activations of at most k
// micro-batches.
func (m *Model) memory(l *Layout, c *Cost) error {
	for i := range l.Stages {
		stage := &l.Stages[i]
		held := float64(min(l.MicroBatches(), len(l.Stages)-i))
		for j, place := range stage.Replicas {
			if j > 0 && place.TP == stage.Replicas[j-1].TP {
				continue
			}
			sizes, err := m.Profile.Sizes(place.TP)
			if err != nil {
				return err
			}
			params := 0.0
			kept := 0.0
			for _, layer := range stage.Layers {
				params += 4 * sizes[layer].Params
				kept += 4 * sizes[layer].Activations * float64(l.Micro)
			}
			bytes := m.Runtime.Bytes(place.TP, params, kept*held)
			if bytes > c.Memory {
				c.Memory = bytes
				c.Full = i
			}
		}
	}
	return nil
}

// Bytes returns the memory of a GPU by its group, and the bytes of its parameters and of the activations of a forward
// pass.
func (r *Runtime) Bytes(tp int, params, activations float64) float64 {
	return 1e9*(r.BaseGB+r.TPGB*float64(tp)) + r.State*params + r.Kept*activations
}

// traffic sets what a step sends between zones, and its price: activations and gradients of all micro-batches between
// stages, and the ring of each stage, in which every replica sends 2(D-1)/D of the stage's gradients.
func (m *Model) traffic(l *Layout, c *Cost) error {
	pay := func(from, to string, bytes float64) error {
		if from == to {
			return nil
		}
		usd, err := m.Links.Egress(from, to)
		c.Moved += bytes / 1e9
		c.Egress += usd * bytes / 1e9
		return err
	}
	for i := range l.Stages {
		stage := &l.Stages[i]
		replicas := len(stage.Replicas)
		params := 0.0
		for _, layer := range stage.Layers {
			params += 4 * m.Profile.sizes[1][layer].Params
		}
		for j, place := range stage.Replicas {
			if err := pay(place.Zone, stage.Replicas[(j+1)%replicas].Zone,
				2*float64(replicas-1)/float64(replicas)*params); err != nil {
				return err
			}
			if i+1 == len(l.Stages) {
				continue
			}
			next := l.Stages[i+1].Replicas[j%len(l.Stages[i+1].Replicas)]
			bytes := 4 * m.Profile.sizes[1][stage.Layers[len(stage.Layers)-1]].Output *
				float64(l.Micro*l.MicroBatches())
			if err := pay(place.Zone, next.Zone, bytes); err != nil {
				return err
			}
			if err := pay(next.Zone, place.Zone, bytes); err != nil {
				return err
			}
		}
	}
	return nil
}
