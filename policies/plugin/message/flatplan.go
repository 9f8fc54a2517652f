package message

import (
	"encoding/binary"
	"fmt"
	"math"
)

// flatReader reads a message; the first error stays.
type flatReader struct {
	b   []byte
	err error
	store
}

// store is where numbers of a plan are that it only points at. It grows, and what points into it stays.
type store struct {
	ints    []int
	numbers []float64
	flags   []bool
	holds   []Hold
}

// keep puts a value into a store, and returns where it is.
func keep[T any](in *[]T, x T) *T {
	*in = append(*in, x)
	return &(*in)[len(*in)-1]
}

func (r *flatReader) take(n int) []byte {
	if r.err != nil || n < 0 || n > len(r.b) {
		if r.err == nil {
			r.err = fmt.Errorf("the message ends %d bytes too early", n-len(r.b))
		}
		return nil
	}
	part := r.b[:n]
	r.b = r.b[n:]
	return part
}

func (r *flatReader) u32() uint32 {
	if b := r.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (r *flatReader) f64() float64 {
	if b := r.take(8); b != nil {
		return math.Float64frombits(binary.LittleEndian.Uint64(b))
	}
	return 0
}

func (r *flatReader) text() string { return string(r.take(int(r.u32()))) }

// count reads the length of a list whose elements have at least n bytes.
func (r *flatReader) count(smallest int) int {
	n := int(r.u32())
	if r.err == nil && n > len(r.b)/smallest {
		r.err = fmt.Errorf("a list of %d elements in %d bytes", n, len(r.b))
	}
	if r.err != nil {
		return 0
	}
	return n
}

// number reads a number of a plan, nil if it is left as it is.
func (r *flatReader) number() *int {
	x := r.u32()
	if x == unchanged {
		return nil
	}
	return keep(&r.ints, int(x))
}

// ParseFlat reads a plan, or a question instead of one, in its flat form.
func ParseFlat(message []byte) (*Plan, error) { return new(Plans).Parse(message) }

// Plans reads plans, one after the other, into the same memory.
type Plans struct {
	plan Plan
	r    flatReader
}

// Parse reads a plan, or a question instead of one, in its flat form. It is valid until the next is read.
func (x *Plans) Parse(message []byte) (*Plan, error) {
	p, r := &x.plan, &x.r
	*p = Plan{Jobs: p.Jobs[:0], Because: p.Because}
	r.b, r.err = message, nil
	r.ints, r.numbers, r.flags, r.holds = r.ints[:0], r.numbers[:0], r.flags[:0], r.holds[:0]
	switch kind := r.u32(); kind {
	case flatPlan:
		r.plan(p)
	case flatAsk:
		p.Because, p.Ask = "", r.ask()
	case flatAskPool:
		p.Because, p.Ask = "", r.askPool()
	default:
		if r.err == nil {
			r.err = fmt.Errorf("a message of kind %d, expected %d (a plan), %d or %d (a question)", kind, flatPlan, flatAsk, flatAskPool)
		}
	}
	if r.err == nil && len(r.b) > 0 {
		r.err = fmt.Errorf("%d bytes after the end of the message", len(r.b))
	}
	r.b = nil
	return p, r.err
}

func (r *flatReader) plan(p *Plan) {
	flags := r.u32()
	p.Again = flags&flagAgain != 0
	if s := r.f64(); !math.IsNaN(s) {
		p.WakeS = keep(&r.numbers, s)
	}
	if text := r.take(int(r.u32())); string(text) != p.Because { // most say what they said before
		p.Because = string(text)
	}
	for n := r.count(28); n > 0; n-- {
		p.Jobs = append(p.Jobs, r.job())
	}
	for n := r.count(16); n > 0; n-- {
		p.Inputs = append(p.Inputs, Input{r.text(), r.f64(), r.text()})
	}
	for n := r.count(24); n > 0; n-- {
		p.Candidates = append(p.Candidates, Candidate{r.text(), r.f64(), r.text(), r.text(), r.u32() != 0})
	}
	if flags&flagWaits != 0 {
		r.waits(p)
	}
}

func (r *flatReader) waits(p *Plan) {
	given, names := r.u32(), r.text()
	if given != 0 {
		p.WaitFor = &names
	}
	for n := r.count(64); n > 0; n-- {
		c := Condition{Job: r.number(), Pool: r.number()}
		for _, x := range c.spans() {
			if s := r.f64(); !math.IsNaN(s) {
				*x = keep(&r.numbers, s)
			}
		}
		p.WakeWhen = append(p.WakeWhen, c)
	}
}

// spans are the numbers of a condition that have a part, in the order of the flat form.
func (c *Condition) spans() [7]**float64 {
	return [...]**float64{&c.WaitedS, &c.Done, &c.WholeS, &c.ReserveS, &c.Below, &c.Above, &c.EveryS}
}

func (r *flatReader) job() JobPlan {
	job := int(r.u32())
	flags := r.u32()
	on := func(flag uint32) bool { return flags&flag != 0 }
	is := func(flag uint32) *bool {
		if !on(flag << given) {
			return nil
		}
		return keep(&r.flags, on(flag))
	}
	j := JobPlan{Job: keep(&r.ints, job), Save: on(flagSave), Refill: on(flagRefill), AcrossZones: is(flagAcrossZones), Drain: is(flagDrain),
		Restart:   is(flagRestart),
		Pipelines: r.number(), Stages: r.number(), Workers: r.number(), Servers: r.number()}
	hold := r.list()
	if on(flagHold) {
		j.Hold = keep(&r.holds, Hold{ByPool: hold})
	}
	return j
}

func (r *flatReader) list() []int {
	from := len(r.ints)
	for n := r.count(4); n > 0; n-- {
		r.ints = append(r.ints, int(r.u32()))
	}
	return r.ints[from:len(r.ints):len(r.ints)]
}

// ParseAsk reads a question in its flat form.
func ParseAsk(message []byte) (*Ask, error) {
	p, err := ParseFlat(message)
	if err == nil && p.Ask == nil {
		return nil, fmt.Errorf("a plan, expected a question")
	}
	return p.Ask, err
}

func (r *flatReader) ask() *Ask {
	q := &Ask{Job: int(r.u32()), Instances: int(r.u32()), Hold: r.list(), Pipelines: int(r.u32()), Stages: int(r.u32())}
	q.Servers = r.number()
	return q
}

func (r *flatReader) terms(b *Begin) {
	for n := r.count(64); n > 0; n-- {
		var t Terms
		for k := r.count(4); k > 0; k-- {
			t.Above = append(t.Above, r.text())
		}
		t.Reserved, t.NoticeMissing, t.Victim = r.u32() != 0, r.f64(), r.text()
		t.UntilS, t.WaitS, t.WaitSigma, t.LengthS, t.IncrementS, t.MinimumS = r.opt(), r.f64(), r.f64(), r.f64(), r.opt(), r.opt()
		b.Terms = append(b.Terms, t)
	}
	for n := r.count(12); n > 0; n-- {
		b.Limits = append(b.Limits, Limit{r.text(), r.list(), int(r.u32())})
	}
	for n := r.count(4); n > 0; n-- {
		b.Names = append(b.Names, r.text())
	}
}

func (r *flatReader) askPool() *Ask {
	q := &Ask{Job: int(r.u32())}
	q.Pool, q.From = keep(&r.ints, int(r.u32())), r.number()
	if at := r.f64(); at == at {
		q.AtS = keep(&r.numbers, at)
	}
	return q
}

// ParsePoolAnswer reads the answer to a question about a pool in its flat form; nil where there is none, since the
// question named no pool or job, or the future.
func ParsePoolAnswer(message []byte) (*PoolAnswer, error) {
	r := flatReader{b: message}
	if other := r; other.u32() == flatAnswer {
		return nil, nil
	}
	r.kind(flatPoolAnswer)
	a := &PoolAnswer{Price: r.f64(), RefusedS: r.opt(), TakenS: r.opt(), Removals: int(r.u32()), Arrivals: int(r.u32()), Grants: int(r.u32()),
		HeldS: r.f64(), WaitedS: r.f64(), HasState: r.u32() != 0, MoveUSD: r.f64(), MoveS: r.f64()}
	for n := r.count(8); n > 0; n-- {
		a.LeavingS = append(a.LeavingS, r.f64())
	}
	return a, r.err
}

func (r *flatReader) u64() uint64 { return uint64(r.u32()) | uint64(r.u32())<<32 }

func (r *flatReader) opt() *float64 {
	if x := r.f64(); !math.IsNaN(x) {
		return &x
	}
	return nil
}

func (r *flatReader) kind(want int) {
	if got := r.u32(); r.err == nil && int(got) != want {
		r.err = fmt.Errorf("a message of kind %d, expected %d", got, want)
	}
}
