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
