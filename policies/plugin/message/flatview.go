package message

import (
	"encoding/binary"
	"math"
	"slices"
)

// Sizes of parts of a view in its flat form.
const (
	viewSize = 4 + 8 + 8 + 4 + 4 + 8 + 4 + 4
	jobSize  = 4 + 3*8 + 4 + 11*8 + 5*4
	heldSize = 6*4 + 8
)

// AppendDecisions appends the beginning of a message of several views (Decisions), which follow.
func AppendDecisions(to []byte, n int) []byte {
	w := flatWriter(to)
	w.u32(flatDecisions)
	w.u32(n)
	return w
}

// AppendFlat appends the message in its flat form. A view is sent at every decision: it is written in one piece, and
// takes memory only where to has no room.
func (m *View) AppendFlat(to []byte) []byte {
	size := viewSize + 8*len(m.Prices) + jobSize*len(m.Jobs)
	for i := range m.Jobs {
		size += heldSize * len(m.Jobs[i].Held)
	}
	from := len(to)
	to = slices.Grow(to, size)[:from+size]
	b := put32(to[from:], flatView)
	b = put64(b, uint64(m.World))
	b = putFloat(b, m.NowS)
	b = put32(b, int(m.Triggers))
	b = put32(b, flag(m.Recorded, 1))
	b = putFloat(b, m.USD)
	b = put32(b, len(m.Prices))
	for _, x := range m.Prices {
		b = putFloat(b, x)
	}
	b = put32(b, len(m.Jobs))
	for i := range m.Jobs {
		b = m.Jobs[i].put(b)
	}
	return to
}

// put writes a job, and returns what is left.
func (m *Job) put(b []byte) []byte {
	b = put32(b, m.Job)
	b = putFloat(b, m.DeadlineS)
	b = putFloat(b, m.WithinS)
	b = putFloat(b, m.GoalLoss)
	b = put32(b, flag(m.Begun, flagBegun)|flag(m.Training, flagTraining)|flag(m.Safe, flagSafe))
	b = putFloat(b, m.Done)
	b = putOptional(b, m.Loss)
	b = putOptional(b, m.SavedLoss)
	b = putFloat(b, m.Speed)
	b = putFloat(b, m.LaidS)
	b = putFloat(b, m.SavedS)
	b = putFloat(b, m.ResumedS)
	b = putOptional(b, m.PausedS)
	b = putOptional(b, m.LeavingS)
	b = putFloat(b, m.SaveS)
	b = putFloat(b, m.PersistS)
	b = put32(b, m.Losses)
	b = put32(b, m.Servers)
	b = put32(b, m.Pipelines)
	b = put32(b, m.Stages)
	b = put32(b, len(m.Held))
	for i := range m.Held {
		h := &m.Held[i]
		b = put32(b, h.Pool)
		b = put32(b, h.Want)
		b = put32(b, h.Waiting)
		b = put32(b, h.Starting)
		b = put32(b, h.Ready)
		b = put32(b, h.Noticed)
		b = putOptional(b, h.WaitingSinceS)
	}
	return b
}

// What follows writes a number at the beginning of what is left of a message, and returns the rest.

func put32(b []byte, x int) []byte {
	binary.LittleEndian.PutUint32(b, uint32(x))
	return b[4:]
}

func put64(b []byte, x uint64) []byte {
	binary.LittleEndian.PutUint64(b, x)
	return b[8:]
}

func putFloat(b []byte, x float64) []byte { return put64(b, math.Float64bits(x)) }

func putOptional(b []byte, x *float64) []byte {
	if x == nil {
		return putFloat(b, math.NaN())
	}
	return putFloat(b, *x)
}
