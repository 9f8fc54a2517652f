package fields

import (
	"reflect"
	"slices"
	"testing"
)

type boot struct {
	Sigma *float64 `json:"sigma,omitempty" was:"spread,deviation"`
}

type embedded struct {
	Lost float64 `json:"lost_h" was:"redone_h"`
}

type spec struct {
	FormerName string `json:"name"`
	Boot       *boot  `json:"boot" was:"start"`
	embedded
	Again []spec `json:"again"`
	_     boot   // fields that cannot be set are left alone
}

func TestNames(t *testing.T) {
	want := []FormerName{{"", "start", "boot"}, {"boot", "spread", "sigma"}, {"boot", "deviation", "sigma"}, {"", "redone_h", "lost_h"}}
	if got := FormerNames(reflect.TypeFor[spec](), "json"); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestFormer(t *testing.T) {
	if got := Former(reflect.TypeFor[spec]().Field(0)); got != nil {
		t.Errorf("%v of a field that always had its name", got)
	}
}
