package message

import (
	"encoding/binary"
	"fmt"
	"math"
)

// The flat form of the messages has the fields of the JSON form in their order, little-endian and
// without gaps: counts, numbers of instances and flags as u32, floating-point numbers as f64
// (absent ones are not-a-number), texts and lists as their length, u32, and their elements.
// A message begins with its kind, u32.
const (
	flatBegin  = 1
	flatView   = 2
	flatAnswer = 3
	flatPlan   = 4
	flatAsk    = 5
	flatFork   = 6
)

// flags of jobs in a view, and of plans.
const (
	flagBegun = 1 << iota
	flagTraining
	flagSafe
)

const (
	flagSave = 1 << iota
	flagRefill
	flagHold // Hold is given
	flagAcrossZones
	flagDrain
	flagRestart
	flagAgain = 1
	flagWaits = 2 // a plan ends with what it waits for
	// The last three switches stay as they are unless these bits say that they are given.
	given = 8 // bits further on
)

// unchanged stands for a number of a plan that is left as it is.
const unchanged = math.MaxUint32

type flatWriter []byte

func (w *flatWriter) u32(x int)    { *w = binary.LittleEndian.AppendUint32(*w, uint32(x)) }
func (w *flatWriter) u64(x uint64) { *w = binary.LittleEndian.AppendUint64(*w, x) }
func (w *flatWriter) f64(x float64) {
	*w = binary.LittleEndian.AppendUint64(*w, math.Float64bits(x))
}

func (w *flatWriter) opt(x *float64) {
	if x == nil {
		w.f64(math.NaN())
		return
	}
	w.f64(*x)
}

func (w *flatWriter) text(s string) {
	w.u32(len(s))
	*w = append(*w, s...)
}

func (w *flatWriter) flag(on bool, flag int) int {
	if on {
		return flag
	}
	return 0
}

// AppendFlat appends the message in its flat form.
func (b *Begin) AppendFlat(to []byte) []byte {
	w := flatWriter(to)
	if b.From != nil {
		w.u32(flatFork)
		w.u64(uint64(b.World))
		w.u64(uint64(*b.From))
		w.ended(b)
		return w
	}
	w.u32(flatBegin)
	w.u64(uint64(b.World))
	w.ended(b)
	w.u64(b.Random)
	w.f64(b.StartS)
	w.u32(len(b.Pools))
	for i := range b.Pools {
		p := &b.Pools[i]
		for _, s := range []string{p.Name, p.Cloud, p.Region, p.Zone, p.Type, p.GPU} {
			w.text(s)
		}
		w.u32(p.GPUs)
		w.u32(w.flag(p.OnDemand, 1))
		w.f64(p.OnDemandPrice)
		w.u32(p.Quota)
		w.f64(p.NoticeS)
		w.f64(p.BootMedianS)
		w.f64(p.BootSigma)
	}
	return w
}

func (w *flatWriter) ended(b *Begin) {
	w.u32(len(b.Ended))
	for _, n := range b.Ended {
		w.u64(uint64(n))
	}
}

// AppendFlat appends the message in its flat form.
func (m *View) AppendFlat(to []byte) []byte {
	w := flatWriter(to)
	w.u32(flatView)
	w.u64(uint64(m.World))
	w.f64(m.NowS)
	w.u32(int(m.Triggers))
	w.u32(w.flag(m.Recorded, 1))
	w.f64(m.USD)
	w.u32(len(m.Prices))
	for _, x := range m.Prices {
		w.f64(x)
	}
	w.u32(len(m.Jobs))
	for i := range m.Jobs {
		m.Jobs[i].flat(&w)
	}
	return w
}

func (m *Job) flat(w *flatWriter) {
	w.u32(m.Job)
	w.f64(m.DeadlineS)
	w.f64(m.WithinS)
	w.f64(m.GoalLoss)
	w.u32(w.flag(m.Begun, flagBegun) | w.flag(m.Training, flagTraining) | w.flag(m.Safe, flagSafe))
	w.f64(m.Done)
	w.opt(m.Loss)
	w.opt(m.SavedLoss)
	for _, x := range [...]float64{m.Speed, m.LaidS, m.SavedS, m.ResumedS} {
		w.f64(x)
	}
	w.opt(m.PausedS)
	w.opt(m.LeavingS)
	w.f64(m.SaveS)
	w.f64(m.PersistS)
	for _, n := range [...]int{m.Losses, m.Servers, m.Pipelines, m.Stages, len(m.Held)} {
		w.u32(n)
	}
	for i := range m.Held {
		h := &m.Held[i]
		for _, n := range [...]int{h.Pool, h.Want, h.Waiting, h.Starting, h.Ready, h.Noticed} {
			w.u32(n)
		}
		w.opt(h.WaitingSinceS)
	}
}

// AppendFlat appends the message in its flat form.
func (a *Answer) AppendFlat(to []byte) []byte {
	w := flatWriter(to)
	w.u32(flatAnswer)
	w.opt(a.WholeS)
	w.opt(a.LeftS)
	for _, x := range [...]float64{a.Samples, a.SaveS, a.LossS, a.ReadyS} {
		w.f64(x)
	}
	w.u32(w.flag(a.Pipelined, 1))
	w.u32(a.Most)
	w.u32(a.Pipelines)
	w.u32(a.Stages)
	return w
}

// flatReader reads a message; the first error stays.
type flatReader struct {
	b   []byte
	err error
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

// count reads the length of a list whose elements have at least so many bytes.
func (r *flatReader) count(least int) int {
	n := int(r.u32())
	if r.err == nil && n > len(r.b)/least {
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
	n := int(x)
	return &n
}

// ParseFlat reads a plan, or a question instead of one, in its flat form.
func ParseFlat(message []byte) (*Plan, error) {
	r, p := flatReader{b: message}, new(Plan)
	switch kind := r.u32(); kind {
	case flatPlan:
		r.plan(p)
	case flatAsk:
		p.Ask = r.ask()
	default:
		if r.err == nil {
			r.err = fmt.Errorf("a message of kind %d, expected %d (a plan) or %d (a question)", kind, flatPlan, flatAsk)
		}
	}
	if r.err == nil && len(r.b) > 0 {
		r.err = fmt.Errorf("%d bytes after the end of the message", len(r.b))
	}
	return p, r.err
}

func (r *flatReader) plan(p *Plan) {
	flags := r.u32()
	p.Again = flags&flagAgain != 0
	if s := r.f64(); !math.IsNaN(s) {
		p.WakeS = &s
	}
	p.Because = r.text()
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
				*x = &s
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
		if value := on(flag); on(flag << given) {
			return &value
		}
		return nil
	}
	j := JobPlan{Job: &job, Save: on(flagSave), Refill: on(flagRefill), AcrossZones: is(flagAcrossZones), Drain: is(flagDrain),
		Restart:   is(flagRestart),
		Pipelines: r.number(), Stages: r.number(), Workers: r.number(), Servers: r.number()}
	hold := r.list()
	if on(flagHold) {
		j.Hold = &Hold{ByPool: hold}
	}
	return j
}

func (r *flatReader) list() []int {
	n := r.count(4)
	out := make([]int, n)
	for i := range out {
		out[i] = int(r.u32())
	}
	return out
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
