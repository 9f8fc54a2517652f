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
	for key, want := range map[string]string{
		"notice_s": "\nit is a key of pools", "seeds": "\nit is a key of the document", "notise_s": "\ndid you mean \"notice_s\"?", "nothing at all": "",
	} {
		if got := meant(key, reflect.TypeFor[outer]()); got != want {
			t.Errorf("%q: %q, want %q", key, got, want)
		}
	}
}
