package message

import (
	"encoding/binary"
	"math"
)

// The flat form of the messages has the fields of the JSON form in their order, little-endian and
// without gaps: counts, numbers of instances and flags as u32, floating-point numbers as f64
// (absent ones are not-a-number), texts and lists as their length, u32, and their elements.
// A message begins with its kind, u32.
const (
	flatBegin      = 1
	flatView       = 2
	flatAnswer     = 3
	flatPlan       = 4
	flatAsk        = 5
	flatFork       = 6
	flatDecisions  = 7 // their number, and n views
	flatAskPool    = 8
	flatPoolAnswer = 9
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
		w.u32(flag(p.OnDemand, 1))
		w.f64(p.OnDemandPrice)
		w.u32(p.Quota)
		w.f64(p.NoticeS)
		w.f64(p.BootMedianS)
		w.f64(p.BootSigma)
	}
	w.terms(b)
	return w
}

func (w *flatWriter) ended(b *Begin) {
	w.u32(len(b.Ended))
	for _, n := range b.Ended {
		w.u64(uint64(n))
	}
}

// AppendFlat appends the message in its flat form.
func (a *Answer) AppendFlat(to []byte) []byte {
	w := flatWriter(to)
	if a.Pool != nil {
		w.poolAnswer(a.Pool)
		return w
	}
	w.u32(flatAnswer)
	w.opt(a.WholeS)
	w.opt(a.LeftS)
	for _, x := range [...]float64{a.Samples, a.SaveS, a.LossS, a.ReadyS} {
		w.f64(x)
	}
	w.u32(flag(a.Pipelined, 1))
	w.u32(a.Max)
	w.u32(a.Pipelines)
	w.u32(a.Stages)
	return w
}

func flag(on bool, flag int) int {
	if on {
		return flag
	}
	return 0
}

func (w *flatWriter) terms(b *Begin) {
	w.u32(len(b.Terms))
	for i := range b.Terms {
		t := &b.Terms[i]
		w.u32(len(t.Above))
		for _, name := range t.Above {
			w.text(name)
		}
		w.u32(flag(t.Reserved, 1))
		w.f64(t.NoticeMissing)
		w.text(t.Victim)
		w.opt(t.UntilS)
		w.f64(t.WaitS)
		w.f64(t.WaitSigma)
		w.f64(t.LengthS)
		w.opt(t.IncrementS)
		w.opt(t.MinimumS)
	}
	w.u32(len(b.Limits))
	for _, l := range b.Limits {
		w.text(l.Name)
		w.list(l.Pools)
		w.u32(l.Instances)
	}
	w.u32(len(b.Names))
	for _, name := range b.Names {
		w.text(name)
	}
}

func (w *flatWriter) poolAnswer(a *PoolAnswer) {
	w.u32(flatPoolAnswer)
	w.f64(a.Price)
	w.opt(a.RefusedS)
	w.opt(a.TakenS)
	w.u32(a.Removals)
	w.u32(a.Arrivals)
	w.u32(a.Grants)
	w.f64(a.HeldS)
	w.f64(a.WaitedS)
	w.u32(flag(a.HasState, 1))
	w.f64(a.MoveUSD)
	w.f64(a.MoveS)
	w.u32(len(a.LeavingS))
	for _, s := range a.LeavingS {
		w.f64(s)
	}
}

func (w *flatWriter) list(x []int) {
	w.u32(len(x))
	for _, n := range x {
		w.u32(n)
	}
}

func (w *flatWriter) number(x *int) {
	if x == nil {
		w.u32(unchanged)
		return
	}
	w.u32(*x)
}
