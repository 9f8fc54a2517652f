package sim

import "math"

// pipe is a pipeline of the job that is looked at, or a worker beside others: by how much its stages compute longer in
// sum, and the slowest, as shares of a step.
type pipe struct {
	sum, slowest           float64
	knownSum, knownSlowest float64 // of the machines by which micro-batches are shared
	computing              float64 // share of the step that computes
	// more is how many micro-batches it has more than an equal part; where nobody says how many there are, by which
	// share of that.
	more float64
}

// stepFactor is how much longer the steps of job j take by its slow machines. Each machine makes a step longer by the
// shares of its own pool (Slow.Network, Slow.Rest), and what two make longer passes side by side: all wait for the one
// that computes longest, and for the slowest network. Asynchronous workers (WorkerModel.NeedsServers) do not wait, and
// their mean speed counts. A step of pipelines takes, with 1F1B, the sum of their stages once and the slowest stage for
// each further micro-batch.
func (w *World) stepFactor(j int) float64 {
	job := &w.jobs[j]
	workers, apart := w.specs[j].Model.(WorkerModel)
	apart = apart && workers.NeedsServers()
	stages := w.stagesOf(job)
	list := w.instancesOf(j)
	pipes := w.openPipes(int(job.placed.Pipeline), stages, len(list))
	network := 0.0
	speed := 0.0
	count := 0
	shared := false
	for _, i := range list {
		inst := &w.inst[i]
		if inst.state != instanceReady || inst.drained || stages > 0 && inst.place == unplaced {
			continue
		}
		at := count
		if stages > 0 {
			at = int(inst.place) / stages
		}
		count++
		m := w.machineOf(i)
		pipes[at].add(m)
		if m == nil {
			speed++
			continue
		}
		speed += 1 / m.of.step(m.compute, m.network)
		network = max(network, m.of.Network*(m.network-1))
		shared = shared || m.shared
	}
	if apart && count > 0 {
		return float64(count) / speed
	}
	if stages == 0 {
		pipes = pipes[:count]
	}
	share := shares{max(stages, 1), w.market.microBatches}
	if shared {
		share.out(pipes)
	}
	compute := 0.0
	for d := range pipes {
		compute = max(compute, share.longer(&pipes[d]))
	}
	return 1 + compute + network
}

// stagesOf is the number of stages of a job whose instances have places; 0 of workers side by side.
func (w *World) stagesOf(job *jobState) int {
	if job.layout.Stages == 0 {
		return 0
	}
	return int(job.placed.Stage)
}

// openPipes returns so many pipelines of fast machines; without stages so many workers.
func (w *World) openPipes(pipelines, stages, workers int) []pipe {
	if stages == 0 {
		pipelines = workers
	}
	w.slow.pipes = resize(w.slow.pipes, pipelines)
	clear(w.slow.pipes)
	return w.slow.pipes
}

// add adds a stage on a machine, nil: one that is never slow.
func (x *pipe) add(m *slowMachine) {
	if m == nil {
		x.computing = 1
		return
	}
	computing := m.of.computing()
	longer := computing * (m.compute - 1)
	x.computing = max(x.computing, computing)
	x.sum += longer
	x.slowest = max(x.slowest, longer)
	if m.shared {
		x.knownSum += longer
		x.knownSlowest = max(x.knownSlowest, longer)
	}
}

// shares is how pipelines of some stages share the micro-batches of a step, so many for each in equal parts; 0: nobody
// says how many, and any part of them can be had.
type shares struct{ stages, microBatches int }

// longer is by how much the computing of a step, as a share of it, takes longer in a pipeline.
func (s shares) longer(x *pipe) float64 {
	extra := x.more * (x.slowest + x.computing)
	if s.microBatches == 0 {
		return x.slowest + extra
	}
	if x.more == -float64(s.microBatches) {
		return -x.computing
	}
	return (x.sum + float64(s.microBatches-1)*x.slowest + extra) / float64(s.stages+s.microBatches-1)
}

// out gives slow pipelines fewer micro-batches, and the others more, so that the step is the shortest.
func (s shares) out(pipes []pipe) {
	if s.microBatches == 0 {
		s.parts(pipes)
		return
	}
	left := s.whole(pipes)
	for ; left > 0; left-- {
		first := 0
		soonest := math.Inf(1)
		for d := range pipes {
			x := &pipes[d]
			if done := s.equal(x) + (x.more+1)*x.microBatch(); done < soonest {
				soonest = done
				first = d
			}
		}
		pipes[first].more++
	}
}

// microBatch is what a micro-batch takes on the slowest stage, in units of what fast stages that compute in all of the
// step take.
func (x *pipe) microBatch() float64 { return x.knownSlowest + x.computing }

// equal is by how much an equal part of the micro-batches takes longer, in that unit.
func (s shares) equal(x *pipe) float64 { return x.knownSum + float64(s.microBatches-1)*x.knownSlowest }

// parts has all pipelines take as long, where any part of a step can be had.
func (s shares) parts(pipes []pipe) {
	level := float64(len(pipes))
	speed := 0.0
	for d := range pipes {
		level -= pipes[d].computing / pipes[d].microBatch()
		speed += 1 / pipes[d].microBatch()
	}
	level /= speed
	for d := range pipes {
		pipes[d].more = (level+pipes[d].computing)/pipes[d].microBatch() - 1
	}
}

// whole has all pipelines take as long, rounded down to whole micro-batches, and returns how many are left. To give
// each to the pipeline that is done with it first is the best; starting at none, these choices pass here.
func (s shares) whole(pipes []pipe) (left int) {
	level := 0.0
	speed := 0.0
	for d := range pipes {
		level += s.equal(&pipes[d]) / pipes[d].microBatch()
		speed += 1 / pipes[d].microBatch()
	}
	level /= speed
	none := -float64(s.microBatches)
	for d := range pipes {
		x := &pipes[d]
		x.more = max(math.Floor((level-s.equal(x))/x.microBatch()-1e-9), none)
		left -= int(x.more)
	}
	if left >= 0 {
		return left
	}
	for d := range pipes { // some are so slow that they have none
		pipes[d].more = none
	}
	return len(pipes) * s.microBatches
}
