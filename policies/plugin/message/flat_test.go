package message_test

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/marigram/marigram/policies/plugin/message"
)

func ptr[T any](x T) *T { return &x }

// TestFlat writes messages in their flat form and reads them back.
func TestFlat(t *testing.T) {
	begin := message.Begin{Type: "begin", World: 1 << 40, Ended: []int64{3, 4}, Random: 1 << 63, StartS: 0.25,
		Pools: []message.Pool{{Name: "a/b", Cloud: "aws", Region: "r", Zone: "z", Type: "b", GPU: "V100", GPUs: 8, OnDemand: true, OnDemandPrice: 3.06,
			Quota: 16, NoticeS: 120, BootMedianS: 126, BootSigma: 0.1}, {}}}
	read, err := message.ParseBegin(begin.AppendFlat(nil))
	same(t, read, &begin, err)

	view := message.View{Type: "decide", World: 7, NowS: 1.5, Triggers: 1<<1 | 1<<8, Trigger: "grant+again", Recorded: true, USD: 12.5,
		Prices: []float64{0.5, 0.75}, Jobs: []message.Job{{Job: 2, DeadlineS: 3600, WithinS: 3000, GoalLoss: 0.8, Begun: true, Safe: true, Done: 0.5,
			Loss: ptr(1.5), Speed: 3, LaidS: 4, SavedS: 5, ResumedS: 6, PausedS: ptr(7.0), SaveS: 8, PersistS: 9, Losses: 10, Servers: 11, Pipelines: 12, Stages: 13,
			Held: []message.Held{{Pool: 1, Want: 2, Waiting: 3, Starting: 4, Ready: 5, Noticed: 6, WaitingSinceS: ptr(0.125)}, {Pool: 2}}}, {Training: true}}}
	var back message.View
	err = back.Parse(view.AppendFlat(nil))
	same(t, &back, &view, err)

	answer := message.Answer{Type: "answer", WholeS: ptr(1.0), Samples: 2, SaveS: 3, LossS: 4, ReadyS: 5, Pipelined: true, Max: 6, Pipelines: 7, Stages: 8}
	got, err := message.ParseAnswer(answer.AppendFlat(nil))
	same(t, got, answer, err)

	plan := message.Plan{WakeS: ptr(600.0), WaitFor: ptr("notice+gone"), WakeWhen: []message.Condition{{Job: ptr(1), WaitedS: ptr(300.0), EveryS: ptr(60.0)},
		{Pool: ptr(2), Below: ptr(0.5), Above: ptr(0.75)}, {Done: ptr(0.5)}, {WholeS: ptr(9.0), ReserveS: ptr(1.0)}}, Again: true, Because: "why",
		Inputs:     []message.Input{{Name: "n", Value: 1, Unit: "s"}},
		Candidates: []message.Candidate{{Name: "c", Score: 2, Unit: "USD", Note: "dear", Chosen: true}},
		Jobs: []message.JobPlan{{Job: ptr(0), Save: true}, {Job: ptr(3), Hold: &message.Hold{ByPool: []int{1, 2}}, Pipelines: ptr(4), Stages: ptr(5),
			Workers: ptr(6), Servers: ptr(0), AcrossZones: ptr(false), Drain: ptr(true), Restart: ptr(true), Refill: true}}}
	p, err := message.ParseFlat(plan.AppendFlat(nil))
	same(t, p, &plan, err)

	ask := message.Ask{Job: 1, Instances: 2, Hold: []int{3}, Pipelines: 4, Stages: 5, Servers: ptr(6)}
	p, err = message.ParseFlat(ask.AppendFlat(nil))
	same(t, p.Ask, &ask, err)
}

// TestJSON compares views with what encoding/json makes of them.
func TestJSON(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	number := func() float64 {
		x := []float64{0, 1, math.Copysign(0, -1), 1e21, 1e-7, 999999999999999, 1e15, draw.NormFloat64(), math.Exp(50 * draw.NormFloat64()), draw.Float64()}
		return x[draw.IntN(len(x))]
	}
	for range 300 {
		v := message.View{Type: "decide", World: draw.Int64(), Trigger: "grant+again", Recorded: true, Jobs: make([]message.Job, draw.IntN(3))}
		for i := range v.Jobs {
			v.Jobs[i] = message.Job{Held: []message.Held{{Pool: i}, {WaitingSinceS: ptr(number())}}, Safe: true}
			fields := reflect.ValueOf(&v.Jobs[i]).Elem()
			for f := range fields.NumField() {
				switch x := fields.Field(f); x.Kind() {
				case reflect.Float64:
					x.SetFloat(number())
				case reflect.Pointer:
					x.Set(reflect.ValueOf(ptr(number())))
				case reflect.Int:
					x.SetInt(draw.Int64N(100))
				}
			}
		}
		for range draw.IntN(3) {
			v.Prices = append(v.Prices, number())
		}
		want, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := v.AppendJSON(nil); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%s, %v\nwant\n%s", got, err, want)
		}
	}
	if _, err := (&message.View{USD: math.NaN()}).AppendJSON(nil); err == nil {
		t.Error("NaN is written")
	}
}

func same(t *testing.T, got, want any, err error) {
	t.Helper()
	if err != nil || !reflect.DeepEqual(got, want) {
		a, _ := json.Marshal(got)
		b, _ := json.Marshal(want)
		t.Errorf("%s\nwant\n%s\n%v", a, b, err)
	}
}

// FuzzPlan reads broken plans: an error, no panic, and no more memory than the message has bytes for.
func FuzzPlan(f *testing.F) {
	f.Add((&message.Plan{Because: "why", Jobs: []message.JobPlan{{Job: ptr(0), Hold: &message.Hold{ByPool: []int{1}}}}}).AppendFlat(nil))
	f.Add((&message.Ask{Instances: 2}).AppendFlat(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := message.ParseFlat(b)
		if err != nil || p.Ask != nil {
			return
		}
		if again, err := message.ParseFlat(p.AppendFlat(nil)); err != nil || !bytes.Equal(again.AppendFlat(nil), p.AppendFlat(nil)) {
			t.Errorf("%+v is read back as %+v, %v", p, again, err)
		}
	})
}
