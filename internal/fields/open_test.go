package fields_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/fields"
)

// registered is what packages add to a document below.
var registered fields.Extension

type train struct {
	Rate float64 `json:"rate" above:"0"`
}

type ratio struct {
	Share float64 `json:"share,omitempty" max:"1" either:"goal"`
}

func init() {
	registered.Add(reflect.StructField{Name: "Train", Type: reflect.TypeFor[*train](), Tag: `json:"train,omitempty" excludes:"name"`})
	registered.Add(reflect.StructField{Name: "Ratio", Type: reflect.TypeFor[ratio](), Tag: `json:",inline"`})
}

type section struct{ value any }

func (s *section) Registered() reflect.Value {
	if s.value == nil {
		s.value = registered.New().Addr().Interface()
	}
	return reflect.ValueOf(s.value).Elem()
}

type open struct {
	Name  string  `json:"name,omitempty"`
	TimeS float64 `json:"time_s,omitempty" either:"goal"`
	Kinds section `json:"-"`
}

// Registered fields are read and checked as those of the struct.
func TestOpen(t *testing.T) {
	for text, want := range map[string]string{
		`{"train":{"rate":2},"share":0.5}`:            "",
		`{"name":"x","time_s":1}`:                     "",
		`{"train":{"rate":-2},"share":0.5}`:           "train.rate: -2, expected more than 0",
		`{"share":3}`:                                 "share: 3, expected at most 1",
		`{"time_s":1,"share":0.5}`:                    "expected one of time_s and share, not both",
		`{}`:                                          "expected one of time_s and share; none is given",
		`{"name":"x","train":{"rate":2},"share":0.5}`: "train: expected train or name, not both",
	} {
		var of open
		err := fields.Decode(&of, func(into any) error {
			decoder := json.NewDecoder(strings.NewReader(text))
			decoder.DisallowUnknownFields()
			return decoder.Decode(into)
		})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		err = fields.Check(&of)
		if (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%s: %v, expected %q", text, err, want)
		}
	}
}

// A field that comes after the first document would be missing in it.
func TestAddLate(t *testing.T) {
	var late fields.Extension
	late.New()
	defer func() {
		if recover() == nil {
			t.Error("a field was added after documents were read")
		}
	}()
	late.Add(reflect.StructField{Name: "Late", Type: reflect.TypeFor[*train](), Tag: `json:"late"`})
}
