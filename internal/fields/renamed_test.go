package fields

import (
	"reflect"
	"slices"
	"testing"
)

func TestFormer(t *testing.T) {
	type boot struct {
		Mean  float64  `json:"mean"`
		Sigma *float64 `json:"sigma,omitempty" was:"spread,deviation"`
	}
	if got := Former(reflect.TypeFor[boot]().Field(0)); got != nil {
		t.Errorf("%v of a field that always had its name", got)
	}
	if got := Former(reflect.TypeFor[boot]().Field(1)); !slices.Equal(got, []string{"spread", "deviation"}) {
		t.Errorf("%v, want spread and deviation", got)
	}
}
