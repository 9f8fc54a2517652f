package message

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// AppendJSON appends the message as JSON, as encoding/json writes it, in a quarter of its time: a view is
// sent at every decision.
func (m *View) AppendJSON(to []byte) ([]byte, error) {
	w := jsonWriter{b: to}
	w.b = append(append(append(w.b, `{"type":"`...), m.Type...), `","world":`...)
	w.b = strconv.AppendInt(w.b, m.World, 10)
	w.number(`,"now_s":`, m.NowS)
	w.b = append(append(append(w.b, `,"trigger":"`...), m.Trigger...), '"')
	w.truth(`,"recorded":`, m.Recorded)
	w.number(`,"usd":`, m.USD)
	w.b = append(w.b, `,"usd_per_h":`...)
	writeList(&w, m.Prices, func(x *float64) { w.number("", *x) })
	w.b = append(w.b, `,"jobs":`...)
	writeList(&w, m.Jobs, w.job)
	w.b = append(w.b, '}')
	return w.b, w.err
}

// jsonWriter writes JSON; the first error stays.
type jsonWriter struct {
	b   []byte
	err error
}

func (w *jsonWriter) key(key string) { w.b = append(w.b, key...) }

func (w *jsonWriter) end() { w.b = append(w.b, '}') }

func (w *jsonWriter) job(j *Job) {
	w.count(`{"job":`, j.Job)
	w.number(`,"deadline_s":`, j.DeadlineS)
	w.number(`,"within_s":`, j.WithinS)
	w.number(`,"goal_loss":`, j.GoalLoss)
	w.truth(`,"begun":`, j.Begun)
	w.truth(`,"training":`, j.Training)
	w.truth(`,"safe":`, j.Safe)
	w.number(`,"done":`, j.Done)
	w.optional(`,"loss":`, j.Loss)
	w.optional(`,"saved_loss":`, j.SavedLoss)
	w.number(`,"speed":`, j.Speed)
	w.number(`,"laid_s":`, j.LaidS)
	w.number(`,"saved_s":`, j.SavedS)
	w.number(`,"resumed_s":`, j.ResumedS)
	w.optional(`,"paused_s":`, j.PausedS)
	w.optional(`,"leaving_s":`, j.LeavingS)
	w.number(`,"save_s":`, j.SaveS)
	w.number(`,"persist_s":`, j.PersistS)
	w.count(`,"losses":`, j.Losses)
	w.count(`,"servers":`, j.Servers)
	w.count(`,"pipelines":`, j.Pipelines)
	w.count(`,"stages":`, j.Stages)
	w.key(`,"held":`)
	writeList(w, j.Held, w.held)
	w.end()
}

func (w *jsonWriter) held(h *Held) {
	w.count(`{"pool":`, h.Pool)
	w.count(`,"want":`, h.Want)
	w.count(`,"waiting":`, h.Waiting)
	w.count(`,"starting":`, h.Starting)
	w.count(`,"ready":`, h.Ready)
	w.count(`,"noticed":`, h.Noticed)
	w.optional(`,"waiting_since_s":`, h.WaitingSinceS)
	w.end()
}

// writeList writes a list, null for none.
func writeList[T any](w *jsonWriter, all []T, write func(*T)) {
	if all == nil {
		w.b = append(w.b, "null"...)
		return
	}
	w.b = append(w.b, '[')
	for i := range all {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		write(&all[i])
	}
	w.b = append(w.b, ']')
}

func (w *jsonWriter) count(key string, n int) {
	w.key(key)
	w.b = strconv.AppendInt(w.b, int64(n), 10)
}

func (w *jsonWriter) truth(key string, is bool) {
	w.key(key)
	w.b = strconv.AppendBool(w.b, is)
}

func (w *jsonWriter) optional(key string, x *float64) {
	if x == nil {
		w.key(key)
		w.b = append(w.b, "null"...)
		return
	}
	w.number(key, *x)
}

// number writes a number as encoding/json does.
func (w *jsonWriter) number(key string, x float64) {
	w.key(key)
	size := math.Abs(x)
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		if w.err == nil {
			w.err = fmt.Errorf("%s%v: JSON has no such number", key, x)
		}
	case x == math.Trunc(x) && size < 1e15 && (x != 0 || !math.Signbit(x)):
		w.b = strconv.AppendInt(w.b, int64(x), 10)
	case size != 0 && (size < 1e-6 || size >= 1e21):
		w.b = strconv.AppendFloat(w.b, x, 'e', -1, 64)
		if n := len(w.b); string(w.b[n-4:n-1]) == "e-0" { // e-09 is e-9
			w.b = slices.Delete(w.b, n-2, n-1)
		}
	default:
		w.b = strconv.AppendFloat(w.b, x, 'f', -1, 64)
	}
}
