package layout

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/sim"
)

// Job says what is trained in layouts, and what losses, saves and changes cost.
type Job struct {
	Samples float64 // of the whole job, above 0
	Batch   int     // samples of a step, at least 1
	Want    Want    // which layout of a set is the best; a set of which none is within its bounds does not train
	Max     int     // most instances that are planned with, at least 1

	Restart     time.Duration // from a loss until training goes on from the last save
	Reconfigure time.Duration // to go on in another layout, without the time in which bytes move
	Save        time.Duration // training stops for a save
	Persist     time.Duration // then until the save is safe, while training goes on
	// between saves under policies that plan none themselves; 0: Young's, by the losses so far
	Interval time.Duration
	// Replicated lets a job whose stages all have a replica left go on from these, with the loss of the step under
	// way (Oobleck, SOSP 2023). Else every loss takes it back to the last save.
	Replicated bool
	// Moved is the bytes that move by byte of 4-byte parameters: 3 for parameters and Adam's two moments.
	Moved float64
}

func (j *Job) check() error {
	switch {
	case !(j.Samples > 0) || math.IsInf(j.Samples, 0) || j.Batch < 1:
		return fmt.Errorf("%v samples in steps of %d, expected more than 0", j.Samples, j.Batch)
	case j.Max < 1:
		return fmt.Errorf("at most %d instances, expected 1 or more", j.Max)
	case min(j.Restart, j.Reconfigure, j.Save, j.Persist, j.Interval) < 0 || !(j.Moved >= 0) || math.IsInf(j.Moved, 0):
		return fmt.Errorf("restart %v, reconfigure %v, save %v, persist %v, interval %v, %v bytes that move by byte, "+
			"expected at least 0", j.Restart, j.Reconfigure, j.Save, j.Persist, j.Interval, j.Moved)
	}
	return nil
}

// Training is a sim.Model of a job that trains in the best layout of the instances that it has: Model.Best of them.
// Its progress is samples, and its loss those that are left. It is a sim.MixedModel; instances that the best layout
// has no use for are spares.
//
// A change of layout stops it for Reconfigure and for as long as the instance takes that receives most: each receives
// the layers that it had not, from the nearest that have them. Which instance of a kind is lost is not known: those
// that go are spares last where the cloud takes them, and spares first where the policy gives them back; of those
// that train, the ones with the last stages go. A stage counts as lost where the instances of each kind that went
// could be all that had it.
type Training struct {
	model *Model
	job   Job
	pools []Pool  // by kind
	kind  []int32 // by pool of the market

	mu     sync.RWMutex
	held   map[string]*set // by number of each kind
	shapes map[string]*shape
	moves  map[string]move
	found  map[string]found
	least  []int // by kind: the fewest instances that train alone; 0: not looked for, -1: none do
}

// set is what is known of some instances.
type set struct {
	*shape // nil: none fits
	rate   sim.Rate
	plan   Plan

	name sync.Once
	said string // Describe
}

// shape is which instances have which layers in a layout.
type shape struct {
	id    uint64
	used  []int    // by kind
	nodes [][]node // by kind, those with the first stages first
	first []int    // by stage: its first layer
}

// node is the layers of an instance, and the stages that it has replicas of.
type node struct{ layers []bool }

// move is what a change of layout moves.
type move struct {
	seconds, usd, bytes float64
	lost                bool // layers that nobody has any more
}

// NewTraining returns the model of a job for the pools of a market. Those of one GPU, zone and number of GPUs are of
// one kind. Errors say what was expected.
func NewTraining(m *Model, j Job, pools []Pool) (*Training, error) {
	if err := j.check(); err != nil {
		return nil, err
	}
	training := &Training{
		model:  m,
		job:    j,
		held:   map[string]*set{},
		shapes: map[string]*shape{},
		moves:  map[string]move{},
		found:  map[string]found{},
	}
	for _, pool := range pools {
		pool.Nodes = 0
		if !slices.Contains(m.Profile.GPUs(), pool.GPU) {
			_, err := m.Profile.Times(Point{pool.GPU, 1, 1})
			return nil, err
		}
		if pool.Node < 1 {
			return nil, fmt.Errorf("%d %s in an instance, expected 1 or more", pool.Node, pool.GPU)
		}
		kind := slices.IndexFunc(training.pools,
			func(q Pool) bool { return q.GPU == pool.GPU && q.Zone == pool.Zone && q.Node == pool.Node })
		if kind < 0 {
			kind = len(training.pools)
			training.pools = append(training.pools, pool)
		}
		training.kind = append(training.kind, int32(kind))
	}
	if len(training.pools) > maxHeld {
		return nil, fmt.Errorf("instances of %d kinds (GPU and zone), expected at most %d", len(training.pools),
			maxHeld)
	}
	training.least = make([]int, len(training.pools))
	return training, nil
}

// maxHeld is the most kinds of instances of a job.
const maxHeld = 64

// counts are numbers of instances by kind.
type counts [maxHeld]int32

// of adds up a layout's instances by kind.
func (t *Training) of(l *sim.Layout) (n counts) {
	for k, workers := range l.Workers {
		n[t.kind[l.Pool(k)]] += workers
	}
	return n
}

// key writes numbers for a map.
func (t *Training) key(n *counts, into []byte) []byte {
	for k := range t.pools {
		into = binary.AppendUvarint(into, uint64(n[k]))
	}
	return into
}

// on returns what is known of a set.
func (t *Training) on(n *counts) *set {
	var memory [3 * maxHeld]byte
	key := t.key(n, memory[:0])
	t.mu.RLock()
	known := t.held[string(key)]
	t.mu.RUnlock()
	if known != nil {
		return known
	}
	known = t.find(n)
	t.mu.Lock()
	defer t.mu.Unlock()
	if before := t.held[string(key)]; before != nil {
		return before
	}
	if len(t.held) >= maxSets {
		clear(t.held)
	}
	t.held[string(key)] = known
	return known
}

// find looks for the best layout of a set.
func (t *Training) find(n *counts) *set {
	var pools []Pool
	var kinds []int
	for kind, pool := range t.pools {
		if n[kind] > 0 {
			pool.Nodes = int(n[kind])
			pools = append(pools, pool)
			kinds = append(kinds, kind)
		}
	}
	if len(pools) == 0 {
		return &set{}
	}
	plan, err := t.model.Best(pools, t.job.Batch, t.job.Want)
	if err != nil {
		return &set{}
	}
	used := make([]int, len(t.pools))
	working := 0
	for i, kind := range kinds {
		used[kind] = plan.Nodes[i]
		working += plan.Nodes[i]
	}
	batch := float64(t.job.Batch)
	rate := sim.Rate{
		Progress:   batch / plan.Step,
		Iterations: 1 / plan.Step,
		Samples:    batch / plan.Step,
		Working:    int32(working),
		Step:       batch,
		Traffic:    plan.Egress / plan.Step,
	}
	return &set{shape: t.shapeOf(&plan.Layout, used), plan: plan, rate: rate}
}

// shapeOf puts the replicas of a layout on instances: on each kind, those of most GPUs first.
func (t *Training) shapeOf(l *Layout, used []int) *shape {
	made := &shape{used: used, nodes: make([][]node, len(t.pools))}
	var key []byte
	layers := t.model.Profile.Layers()
	for kind, pool := range t.pools {
		type part struct{ stage, tp int }
		var parts []part
		for i := range l.Stages {
			for _, replica := range l.Stages[i].Replicas {
				if replica.GPU == pool.GPU && replica.Zone == pool.Zone && replica.Node == pool.Node {
					parts = append(parts, part{i, replica.TP})
				}
			}
		}
		slices.SortStableFunc(parts, func(a, b part) int { return b.tp - a.tp })
		free := 0
		for _, one := range parts {
			if free < one.tp {
				made.nodes[kind] = append(made.nodes[kind], node{make([]bool, layers)})
				free = pool.Node
			}
			free -= one.tp
			last := len(made.nodes[kind]) - 1
			for _, layer := range l.Stages[one.stage].Layers {
				made.nodes[kind][last].layers[layer] = true
			}
			key = append(key, byte(kind), byte(last), byte(last>>8), byte(one.stage))
		}
		key = append(key, 0xff)
	}
	for i := range l.Stages {
		made.first = append(made.first, l.Stages[i].Layers[0])
		key = binary.AppendUvarint(key, uint64(l.Stages[i].Layers[0]))
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if same := t.shapes[string(key)]; same != nil {
		return same
	}
	made.id = uint64(len(t.shapes))
	t.shapes[string(key)] = made
	return made
}

// Plan returns the layout in which the job trains on a set, by pool of the market; false if it does not.
func (t *Training) Plan(l *sim.Layout) (Plan, bool) {
	counts := t.of(l)
	known := t.on(&counts)
	return known.plan, known.shape != nil
}

// Describe names the layout in which the job trains on a set; empty if it does not.
func (t *Training) Describe(l *sim.Layout) string {
	held := t.of(l)
	known := t.on(&held)
	if known.shape == nil {
		return ""
	}
	known.name.Do(func() { known.said = known.plan.Layout.String() })
	return known.said
}

// Rate implements sim.Model.
func (t *Training) Rate(l *sim.Layout) sim.Rate {
	held := t.of(l)
	return t.on(&held).rate
}

// Begin implements sim.Model.
func (*Training) Begin(*sim.Layout) float64 { return 0 }

// Goal implements sim.Model.
func (t *Training) Goal(loss float64) float64 { return t.job.Samples - loss }

// Loss implements sim.Model.
func (t *Training) Loss(progress float64) float64 { return t.job.Samples - progress }

// SaveTime implements sim.Model. A save takes a microsecond at least: one that takes nothing would say that nothing
// has to be saved.
func (t *Training) SaveTime(*sim.Layout) (stall, persist time.Duration) {
	return max(t.job.Save, time.Microsecond), t.job.Persist
}

// SaveInterval returns Job.Interval.
func (t *Training) SaveInterval() time.Duration { return t.job.Interval }

// Change implements sim.Model.
func (t *Training) Change(c *sim.Change) sim.Pause {
	before := t.of(c.From)
	after := t.of(c.To)
	from := t.on(&before)
	to := t.on(&after)
	restart := sim.Pause{Stall: t.job.Restart, As: sim.Restoring, Rollback: true}
	if to.shape == nil {
		return sim.Pause{}
	}
	if from.shape == nil || c.Vacated || c.StateLost {
		return restart
	}
	left, lost := t.gone(from, &before, &after, int(c.Lost))
	if lost && !t.job.Replicated {
		return restart
	}
	if left == t.all(from) && from.shape == to.shape {
		return sim.Pause{}
	}
	m := t.moved(from.shape, to.shape, &left)
	if m.lost {
		return restart
	}
	moving := units.Seconds(min(m.seconds, 1e9))
	return sim.Pause{Stall: t.job.Reconfigure + moving, As: sim.Reconfiguring, DropStep: lost, USD: m.usd}
}

// all are the instances that train in a layout.
func (*Training) all(s *set) (n counts) {
	for k, used := range s.used {
		n[k] = int32(used)
	}
	return n
}

// gone returns how many of the instances that trained are left, and whether the cloud took some of them.
func (t *Training) gone(from *set, before, after *counts, taken int) (left counts, lost bool) {
	left = t.all(from)
	for k := range t.pools {
		less := int(before[k] - after[k])
		if less <= 0 {
			continue
		}
		hit := min(less, taken, int(left[k]))
		taken -= min(less, taken)
		lost = lost || hit > 0
		left[k] = min(left[k]-int32(hit), after[k])
	}
	for k := range t.pools { // those that others replaced at once
		hit := min(taken, int(left[k]))
		taken -= hit
		lost = lost || hit > 0
		left[k] -= int32(hit)
	}
	return left, lost
}

// moved returns what moves from one layout to another, given how many instances of each kind of the first are left.
func (t *Training) moved(from, to *shape, left *counts) move {
	var memory [6 * maxHeld]byte
	key := binary.AppendUvarint(binary.AppendUvarint(memory[:0], from.id), to.id)
	key = t.key(left, key)
	t.mu.RLock()
	moving, known := t.moves[string(key)]
	t.mu.RUnlock()
	if known {
		return moving
	}
	moving = t.move(from, to, left)
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.moves) >= maxMoves {
		clear(t.moves)
	}
	t.moves[string(key)] = moving
	return moving
}

// maxSets bounds the sets whose best layout is remembered.
const maxSets = 1 << 14

// maxMoves bounds the changes, and the searches, that are remembered.
const maxMoves = 1 << 16

// move works out what moves.
func (t *Training) move(from, to *shape, left *counts) (out move) {
	if from.extinct(left) {
		return move{lost: true}
	}
	for kind := range t.pools {
		there := from.nodes[kind][:left[kind]]
		has := t.match(there, to.nodes[kind])
		for i := range to.nodes[kind] {
			received := t.receive(kind, &to.nodes[kind][i], has[i], from, left)
			if received.lost {
				return received
			}
			out.seconds = max(out.seconds, received.seconds)
			out.usd += received.usd
			out.bytes += received.bytes
		}
	}
	return out
}

// extinct reports whether the instances that are gone could be all that had a stage.
func (s *shape) extinct(left *counts) bool {
	for _, layer := range s.first {
		extinct := true
		for kind, nodes := range s.nodes {
			have := 0
			for i := range nodes {
				if nodes[i].layers[layer] {
					have++
				}
			}
			if have > len(nodes)-int(left[kind]) {
				extinct = false
				break
			}
		}
		if extinct {
			return true
		}
	}
	return false
}

// match finds for each instance of a layout what it has already: of the instances that are there the one that has
// most of its layers, the pairs with most in common first; nil for those that come.
func (t *Training) match(there, nodes []node) []*node {
	has := make([]*node, len(nodes))
	taken := make([]bool, len(there))
	for range min(len(there), len(nodes)) {
		most := -1.0
		wants := 0
		gives := 0
		for i := range nodes {
			if has[i] != nil {
				continue
			}
			for j := range there {
				common := t.common(&nodes[i], &there[j])
				if !taken[j] && common > most {
					most = common
					wants = i
					gives = j
				}
			}
		}
		has[wants] = &there[gives]
		taken[gives] = true
	}
	return has
}

// layer returns the bytes that move of a layer.
func (t *Training) layer(l int) float64 { return 4 * t.job.Moved * t.model.Profile.sizes[1][l].Params }

// common returns the bytes of the layers that two instances both have.
func (t *Training) common(a, b *node) (bytes float64) {
	for l, has := range a.layers {
		if has && b.layers[l] {
			bytes += t.layer(l)
		}
	}
	return bytes
}

// receive returns what an instance of a kind takes to get its layers.
func (t *Training) receive(k int, n, has *node, from *shape, left *counts) (out move) {
	to := t.pools[k].place()
	var bytes [maxHeld]float64 // by kind from which they come
	for layer, wants := range n.layers {
		if !wants || has != nil && has.layers[layer] {
			continue
		}
		source := -1
		fastest := math.Inf(1)
		for other, nodes := range from.nodes {
			if !slices.ContainsFunc(nodes[:left[other]], func(x node) bool { return x.layers[layer] }) {
				continue
			}
			if curve, known := t.model.Links.known(t.pools[other].place(), to); known {
				seconds := curve.Seconds(1e9)
				if seconds < fastest {
					source = other
					fastest = seconds
				}
			}
		}
		if source < 0 {
			return move{lost: true}
		}
		bytes[source] += t.layer(layer)
	}
	for other := range t.pools {
		if bytes[other] == 0 {
			continue
		}
		at := t.pools[other].place()
		curve, _ := t.model.Links.known(at, to)
		out.seconds += curve.Seconds(bytes[other])
		usd, err := t.model.Links.Egress(at.Zone, to.Zone)
		if err != nil {
			return move{lost: true} // no layout sends there
		}
		out.usd += usd * bytes[other] / 1e9
		out.bytes += bytes[other]
	}
	return out
}

// place is a whole instance of a pool.
func (p *Pool) place() Place { return Place{p.GPU, p.Zone, p.Node, p.Node} }

// found is the result of a search.
type found struct {
	counts []int32 // by pool; nil: none
	rate   sim.Rate
}
