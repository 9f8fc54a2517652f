package adrs

import "math"

// ages are the first ages of the classes of a spell, in ticks: with how long spot has been there, or not, the hazard
// that it changes falls.
var ages = [...]int{1, 2, 3, 4, 5, 7, 10, 15, 22, 33, 49, 97, 145, 289}

const classes = len(ages)

// classOf returns the class of an age, from 1.
func classOf(age int) int {
	class := 0
	for class+1 < classes && age >= ages[class+1] {
		class++
	}
	return class
}

// grows is the share of the spells of a class that are in the next a tick later, when they last.
func grows(class int) float64 {
	if class+1 == classes {
		return 0
	}
	return 1 / float64(ages[class+1]-ages[class])
}

// law is how spot comes and goes in one history: a semi-Markov process of two states.
type law struct {
	name string
	flip [2][classes]float64 // probability that the next tick is of the other state, by state (1: up) and class of age
}

// counts are the spells of histories: ticks that were followed by another, and changes, by state and class.
type counts struct{ ticks, changes [2][classes]float64 }

func (c *counts) add(up []bool) {
	age := 1
	for i := 1; i < len(up); i++ {
		s := state(up[i-1])
		class := classOf(age)
		c.ticks[s][class]++
		age++
		if up[i] != up[i-1] {
			c.changes[s][class]++
			age = 1
		}
	}
}

func state(up bool) int {
	if up {
		return 1
	}
	return 0
}

// lawTickS is the tick of the histories that laws are learnt from, s.
const lawTickS = 600

// shrinkTicks is the exposure that the pool's hazard counts for where a history has little of its own.
const shrinkTicks = 10

// lawOf returns the law of a history, with the hazards of a pool of others where it says little.
func lawOf(name string, up []bool, pool *counts) *law {
	var own counts
	own.add(up)
	l := &law{name: name}
	for s := range l.flip {
		for k := range l.flip[s] {
			prior := (pool.changes[s][k] + 0.5) / (pool.ticks[s][k] + 5)
			hazard := (own.changes[s][k] + shrinkTicks*prior) / (own.ticks[s][k] + shrinkTicks)
			l.flip[s][k] = min(max(hazard, 1e-4), 1-1e-4)
		}
	}
	return l
}

// belief is how likely each law is, by what a run has seen of its zone.
type belief struct {
	laws   []*law
	logs   []float64
	weight []float64 // of the laws; they sum to 1
	up     bool
	age    int     // of the present spell in the run's ticks, as far as the run has seen it
	scale  float64 // the run's tick in those of the laws
}

// class returns the class of the present spell's age.
func (b *belief) class() int { return classOf(max(int(math.Ceil(float64(b.age)*b.scale)), 1)) }

// begin begins a run: all laws are as likely, but for the one of the run's own history, which is not among them.
func (b *belief) begin(laws []*law, without string, gapS float64) {
	b.scale = gapS / lawTickS
	b.laws = laws
	b.logs = b.logs[:0]
	for _, l := range laws {
		prior := 0.0
		if l.name == without {
			prior = math.Inf(-1)
		}
		b.logs = append(b.logs, prior)
	}
	b.age = 0
	b.normalise()
}

// see takes in whether spot is there in the next tick.
func (b *belief) see(up bool) {
	if b.age > 0 {
		s := state(b.up)
		class := b.class()
		for i, l := range b.laws {
			stays := math.Pow(1-l.flip[s][class], b.scale)
			if up != b.up {
				stays = 1 - stays
			}
			b.logs[i] += math.Log(stays)
		}
		b.normalise()
	}
	b.age++
	if up != b.up {
		b.age = 1
	}
	b.up = up
}

func (b *belief) normalise() {
	most := math.Inf(-1)
	for _, x := range b.logs {
		most = max(most, x)
	}
	b.weight = b.weight[:0]
	sum := 0.0
	for _, x := range b.logs {
		w := math.Exp(x - most)
		b.weight = append(b.weight, w)
		sum += w
	}
	for i := range b.weight {
		b.weight[i] /= sum
	}
}
