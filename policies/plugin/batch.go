package plugin

import (
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/marigram/marigram/policies/plugin/message"
)

// Many is a Carrier that can ask for the plans of several runs in one message.
type Many interface {
	Carrier
	// Most is how many decisions a message may have; where it is 1, Decide is what asks.
	Max() int
	// DecideAll asks for the plans of at most n runs. An error does not say whose it is.
	DecideAll(all []*Question) error
}

// Question is a decision that is asked for.
type Question struct {
	View   *message.View
	Answer func(*message.Ask) message.Answer // answers what the plug-in asks meanwhile
	Plan   *message.Plan                     // what it decides
}

// Slots is how many runs a Batch is to have under way: with more, the pipe is no part of what a decision costs any
// more.
const Slots = 32

// Batch has several runs under way on one goroutine, each in a lane. A run goes on until its policy is asked; when all
// of them wait, each plug-in gets one message with all that it is asked, if it takes such messages (Many). What comes
// of a run does not depend on the others: where a plug-in fails, it is not known in whose decision, and all runs that
// it was asked for begin once more, one by one. The zero value is ready.
type Batch struct {
	all      []*Slot // that there were
	slots    []*Slot // under way
	programs map[any]*program
	asked    []*Question // memory of ask
}

// Slot is where one run of a Batch is at a time.
type Slot struct {
	batch *Batch
	n     int
	next  func() (struct{}, bool)
	stop  func()
	yield func(struct{}) bool
	alone bool // its run is asked for by itself

	waits *group // for whom it waits, nil: it can go on
	asks  Question
	err   error
}

// program is a plug-in of a batch.
type program struct {
	batch  *Batch
	key    any
	slots  int     // that may ask it
	group  *group  // those that ask together; nil if nobody does, or after a failure
	single Carrier // asks for one run at a time
	apart  bool    // nobody asks it together any more
}

// group is a process and who waits for it.
type group struct {
	Many
	of      *program
	waiting []*Slot
}

// fails says that the process has ended: who asks next starts another.
func (g *group) fails() {
	if g.of.group == g {
		g.of.group = nil
	}
}

// errInterrupted is the error of a run whose plug-in failed when it was asked for several.
var errInterrupted = errors.New("the plug-in failed, for this run or for another one")

// Number returns the number of the lane, from 0.
func (l *Slot) Number() int { return l.n }

// Run calls work in up to most() lanes; work does piece after piece until nothing is left to do. A lane begins only
// when all before it wait for a plug-in: there is one where nobody asks together. The lanes of the next call are the
// same ones.
func (b *Batch) Run(largest func() int, work func(*Slot)) {
	defer b.end()
	for begun := b.begin(work); len(b.slots) > 0; {
		for begun && len(b.slots) < largest() {
			begun = b.begin(work)
		}
		b.ask()
		going := b.slots[:0]
		for _, l := range b.slots {
			if _, more := l.next(); more {
				going = append(going, l)
			}
		}
		begun = begun && len(going) == len(b.slots) // a lane ends where nothing is left
		b.slots = going
	}
}

// begin begins a lane, and reports whether it waits.
func (b *Batch) begin(work func(*Slot)) bool {
	n := len(b.slots)
	if n == len(b.all) {
		b.all = append(b.all, &Slot{batch: b, n: n})
	}
	l := b.all[n]
	l.next, l.stop = iter.Pull(func(yield func(struct{}) bool) {
		l.yield = yield
		work(l)
	})
	b.slots = append(b.slots, l)
	_, more := l.next()
	if !more {
		b.slots = b.slots[:len(b.slots)-1]
	}
	return more
}

// end ends what is under way, after a panic of a lane.
func (b *Batch) end() {
	for _, l := range b.slots {
		l.stop()
	}
	b.slots = nil
}

// ask asks the plug-ins for what lanes wait for.
func (b *Batch) ask() {
	for _, l := range b.slots {
		if g := l.waits; g != nil {
			g.ask(b)
		}
	}
}

// slow is how long a message takes whose plug-in gains nothing by being asked together: its own work takes longer than
// any pipe.
const slow = time.Second

// ask asks for all that wait for it.
func (g *group) ask(b *Batch) {
	for from := 0; from < len(g.waiting); from += g.Max() {
		part := g.waiting[from:min(from+g.Max(), len(g.waiting))]
		b.asked = b.asked[:0]
		for _, l := range part {
			b.asked = append(b.asked, &l.asks)
		}
		began := time.Now()
		err := g.DecideAll(b.asked)
		if time.Since(began) > slow {
			g.of.apart = true
		}
		if err != nil {
			g.fails()
		}
		for _, l := range part {
			l.err = err
			l.waits = nil
		}
	}
	g.waiting = g.waiting[:0]
}

// Run runs something whose policies have joined the lane; once more, asked for by itself, if a plug-in fails that was
// asked for several runs.
func (l *Slot) Run(f func()) {
	if l.interrupts(f) {
		l.alone = true
		defer func() { l.alone = false }()
		f()
	}
}

// interrupts calls f, and reports whether it is to be called again.
func (l *Slot) interrupts(f func()) (is bool) {
	defer func() {
		if failure := recover(); failure != nil {
			is = Interrupted(failure)
			if !is {
				panic(failure)
			}
		}
	}()
	f()
	return false
}

// Interrupted reports whether what was recovered is the panic of a run that Lane.Run begins once more.
func Interrupted(recovered any) bool {
	failure, is := recovered.(*Failure)
	return is && errors.Is(failure, errInterrupted)
}

// seat is what a run in a lane asks of a plug-in that is asked for several.
type seat struct {
	*group
	slot *Slot
}

// Begin implements Carrier.
func (s *seat) Begin(b *message.Begin) error {
	if s.group.Begin(b) != nil {
		s.fails()
		return errInterrupted
	}
	return nil
}

// Decide implements Carrier: the lane waits until the plug-in is asked.
func (s *seat) Decide(v *message.View, answer func(*message.Ask) message.Answer) (*message.Plan, error) {
	l := s.slot
	l.asks.View = v
	l.asks.Answer = answer
	l.err = nil
	l.waits = s.group
	s.waiting = append(s.waiting, l)
	if !l.yield(struct{}{}) {
		return nil, errors.New("nobody waits for this run any more")
	}
	if l.err != nil {
		return nil, errInterrupted
	}
	return l.asks.Plan, nil
}

// Close implements Carrier. The plug-in goes on for others.
func (*seat) Close() error { return nil }

// join says that a policy of the lane may ask a plug-in.
func (l *Slot) join(key any) *program {
	b := l.batch
	if b.programs == nil {
		b.programs = map[any]*program{}
	}
	if b.programs[key] == nil {
		b.programs[key] = &program{batch: b, key: key}
	}
	b.programs[key].slots++
	return b.programs[key]
}

// carrier is what a run that begins asks.
func (g *program) carrier(l *Slot, open func() (Carrier, error)) (Carrier, error) {
	if g.group == nil && !g.apart && !l.alone {
		c, err := open()
		if err != nil {
			return nil, err
		}
		many, can := c.(Many)
		if can && many.Max() > 1 {
			g.group = &group{Many: many, of: g}
		} else {
			g.single = c
			g.apart = true
		}
	}
	if g.group != nil && !g.apart && !l.alone {
		return &seat{g.group, l}, nil
	}
	var err error
	if g.single == nil {
		g.single, err = open()
	}
	return g.single, err
}

// leave ends what the last lane of a plug-in leaves behind, and a plug-in of one run at once: it may have failed.
func (g *program) leave(last Carrier) (err error) {
	g.slots--
	if last == g.single && last != nil {
		g.single = nil
		err = last.Close()
	}
	if g.slots > 0 {
		return err
	}
	if g.group != nil {
		err = errors.Join(err, g.group.Many.Close())
	}
	if g.single != nil {
		err = errors.Join(err, g.single.Close())
	}
	delete(g.batch.programs, g.key)
	return err
}

// Carrier carries the messages of any number of runs to a plug-in and back. Its methods can be
// called at the same time. After an error it is closed.
type Carrier interface {
	// Settings returns those that the plug-in says it has; nil: it does not say.
	Settings() ([]message.Setting, error)
	// Begin begins a run, or a copy of one that goes on by itself. It numbers it.
	Begin(b *message.Begin) error
	// Decide asks for a plan, which is valid until the next of its run, and answers what the plug-in asks meanwhile.
	Decide(v *message.View, answer func(*message.Ask) message.Answer) (*message.Plan, error)
	// End says that a run is not asked for any more.
	End(world int64)
	Close() error
}

// Failure is what Decide panics with where a plug-in fails: its process ends, a message is not as
// the protocol says, a decision takes too long.
type Failure struct {
	Policy string
	Err    error
}

func (f *Failure) Error() string { return fmt.Sprintf("policy %s: %v", f.Policy, f.Err) }

func (f *Failure) Unwrap() error { return f.Err }

// PolicyFailed marks the failure as the policy's, not the simulator's.
func (*Failure) PolicyFailed() {}
