package document

import (
	"reflect"
	"testing"
)

func TestMeant(t *testing.T) {
	type inner struct {
		NoticeS float64 `json:"notice_s"`
	}
	type outer struct {
		Seeds int     `json:"seeds"`
		Pools []inner `json:"pools"`
	}
	for _, c := range []struct {
		key     string
		section reflect.Type
		want    string
	}{
		{"notice_s", reflect.TypeFor[outer](), "\nit is a key of pools"},
		{"seeds", reflect.TypeFor[inner](), "\nit is a key of the document"},
		{"notise_s", reflect.TypeFor[inner](), "\ndid you mean \"notice_s\"?"},
		{"notise_s", reflect.TypeFor[outer](), "\nexpected one of seeds, pools; \"notice_s\" is a key of pools"},
		{"nothing at all", reflect.TypeFor[outer](), "\nexpected one of seeds, pools"},
		{"x", reflect.TypeFor[inner](), "\nexpected one of notice_s"},
	} {
		if got := meant(c.key, "", reflect.TypeFor[outer](), c.section); got != c.want {
			t.Errorf("%q: %q, want %q", c.key, got, c.want)
		}
	}
}
