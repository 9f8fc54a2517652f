package message

import (
	"strings"
)

// What follows is for plug-ins in Go: the other direction of the flat form.

// triggers are the names of the bits of View.Triggers.
var triggers = [...]string{"start", "grant", "ready", "notice", "gone", "price", "job", "wake", "again", "met", "repair"}

// ParseBegin reads the beginning of a run.
func ParseBegin(message []byte) (*Begin, error) {
	r, b := flatReader{b: message}, &Begin{Type: "begin"}
	r.kind(flatBegin)
	b.World = int64(r.u64())
	for n := r.count(8); n > 0; n-- {
		b.Ended = append(b.Ended, int64(r.u64()))
	}
	b.Random, b.StartS = r.u64(), r.f64()
	for n := r.count(68); n > 0; n-- {
		b.Pools = append(b.Pools, Pool{Name: r.text(), Cloud: r.text(), Region: r.text(), Zone: r.text(), Type: r.text(), GPU: r.text(),
			GPUs: int(r.u32()), OnDemand: r.u32() != 0, OnDemandPrice: r.f64(), Quota: int(r.u32()), NoticeS: r.f64(),
			BootMedianS: r.f64(), BootSigma: r.f64()})
	}
	r.terms(b)
	return b, r.err
}

// ParseViews reads the views of a message, of one decision or of several, in its flat form.
func ParseViews(message []byte) ([]View, error) {
	r, n := flatReader{b: message}, 1
	if several := (flatReader{b: message}); int(several.u32()) == flatDecisions {
		n = several.count(viewSize)
		r = several
	}
	all := make([]View, n)
	for i := range all {
		all[i].parse(&r)
	}
	return all, r.err
}

// Parse reads a view in its flat form.
func (m *View) Parse(message []byte) error {
	r := flatReader{b: message}
	m.parse(&r)
	return r.err
}

func (m *View) parse(r *flatReader) {
	r.kind(flatView)
	m.Type, m.World, m.NowS, m.Triggers = "decide", int64(r.u64()), r.f64(), r.u32()
	m.Trigger = triggerNames(m.Triggers)
	m.Recorded, m.USD = r.u32() != 0, r.f64()
	m.Prices = m.Prices[:0]
	for n := r.count(8); n > 0; n-- {
		m.Prices = append(m.Prices, r.f64())
	}
	m.Jobs = m.Jobs[:0]
	for n := r.count(140); n > 0; n-- {
		m.Jobs = append(m.Jobs, r.viewJob())
	}
}

func triggerNames(bits uint32) string {
	var names []string
	for i, name := range triggers {
		if bits>>i&1 != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, "+")
}

func (r *flatReader) viewJob() Job {
	j := Job{Job: int(r.u32()), DeadlineS: r.f64(), WithinS: r.f64(), GoalLoss: r.f64()}
	flags := r.u32()
	j.Begun, j.Training, j.Safe = flags&flagBegun != 0, flags&flagTraining != 0, flags&flagSafe != 0
	j.Done, j.Loss, j.SavedLoss = r.f64(), r.opt(), r.opt()
	j.Speed, j.LaidS, j.SavedS, j.ResumedS = r.f64(), r.f64(), r.f64(), r.f64()
	j.PausedS, j.LeavingS, j.SaveS, j.PersistS = r.opt(), r.opt(), r.f64(), r.f64()
	j.Losses, j.Servers, j.Pipelines, j.Stages = int(r.u32()), int(r.u32()), int(r.u32()), int(r.u32())
	for n := r.count(32); n > 0; n-- {
		j.Held = append(j.Held, Held{Pool: int(r.u32()), Want: int(r.u32()), Waiting: int(r.u32()), Starting: int(r.u32()),
			Ready: int(r.u32()), Noticed: int(r.u32()), WaitingSinceS: r.opt()})
	}
	return j
}

// ParseAnswer reads an answer in its flat form.
func ParseAnswer(message []byte) (Answer, error) {
	r := flatReader{b: message}
	r.kind(flatAnswer)
	a := Answer{Type: "answer", WholeS: r.opt(), LeftS: r.opt(), Samples: r.f64(), SaveS: r.f64(), LossS: r.f64(), ReadyS: r.f64(),
		Pipelined: r.u32() != 0, Max: int(r.u32()), Pipelines: int(r.u32()), Stages: int(r.u32())}
	return a, r.err
}

// AppendFlat appends the message in its flat form.
func (q *Ask) AppendFlat(to []byte) []byte {
	w := flatWriter(to)
	if q.Pool != nil {
		w.askPool(q)
		return w
	}
	w.u32(flatAsk)
	w.u32(q.Job)
	w.u32(q.Instances)
	w.list(q.Hold)
	w.u32(q.Pipelines)
	w.u32(q.Stages)
	w.number(q.Servers)
	return w
}

// AppendFlat appends the plan in its flat form, which has no names of pools: Hold is by number.
func (m *Plan) AppendFlat(to []byte) []byte {
	w := flatWriter(to)
	w.u32(flatPlan)
	waits := m.WaitFor != nil || len(m.WakeWhen) > 0
	w.u32(flag(m.Again, flagAgain) | flag(waits, flagWaits))
	w.opt(m.WakeS)
	w.text(m.Because)
	w.u32(len(m.Jobs))
	for i := range m.Jobs {
		m.Jobs[i].flat(&w)
	}
	w.u32(len(m.Inputs))
	for _, x := range m.Inputs {
		w.text(x.Name)
		w.f64(x.Value)
		w.text(x.Unit)
	}
	w.u32(len(m.Candidates))
	for _, x := range m.Candidates {
		w.text(x.Name)
		w.f64(x.Score)
		w.text(x.Unit)
		w.text(x.Note)
		w.u32(flag(x.Chosen, 1))
	}
	if waits {
		m.flatWaits(&w)
	}
	return w
}

// flatWaits is what the plan waits for, at the end of a message: older plug-ins do not say it.
func (m *Plan) flatWaits(w *flatWriter) {
	w.u32(flag(m.WaitFor != nil, 1))
	if m.WaitFor == nil {
		w.text("")
	} else {
		w.text(*m.WaitFor)
	}
	w.u32(len(m.WakeWhen))
	for i := range m.WakeWhen {
		c := &m.WakeWhen[i]
		w.number(c.Job)
		w.number(c.Pool)
		for _, x := range c.spans() {
			w.opt(*x)
		}
	}
}

func (m *JobPlan) flat(w *flatWriter) {
	flags := flag(m.Save, flagSave) | flag(m.Refill, flagRefill) | flag(m.Hold != nil, flagHold)
	for bit, is := range map[int]*bool{flagAcrossZones: m.AcrossZones, flagDrain: m.Drain, flagRestart: m.Restart} {
		if is != nil {
			flags |= flag(*is, bit) | bit<<given
		}
	}
	w.u32(*m.Job)
	w.u32(flags)
	for _, n := range [...]*int{m.Pipelines, m.Stages, m.Workers, m.Servers} {
		w.number(n)
	}
	if m.Hold == nil {
		w.u32(0)
		return
	}
	w.list(m.Hold.ByPool)
}

func (w *flatWriter) askPool(q *Ask) {
	w.u32(flatAskPool)
	w.u32(q.Job)
	w.number(q.Pool)
	w.number(q.From)
	w.opt(q.AtS)
}
