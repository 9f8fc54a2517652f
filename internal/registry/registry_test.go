package registry_test

import (
	"slices"
	"testing"

	"github.com/marigram/marigram/internal/registry"
)

func TestRegistry(t *testing.T) {
	r := registry.Of("colour", func(x string) string { return x }, "red", "green", "blue")
	if got := r.Names(); !slices.Equal(got, []string{"blue", "green", "red"}) || !slices.Equal(r.All(), got) {
		t.Errorf("%q, %q", got, r.All())
	}
	r.Names()[0], r.All()[0] = "changed", "changed"
	if x, err := r.Named("blue"); x != "blue" || err != nil {
		t.Errorf("%q, %v: a list that was returned is that of the registry", x, err)
	}
	if x, known := r.Get("gren"); x != "" || known {
		t.Errorf("%q, %v", x, known)
	}
	for name, want := range map[string]string{
		"gren":   `unknown colour "gren"; did you mean "green"?`,
		"yellow": `unknown colour "yellow", expected one of: blue, green, red`,
		"":       `unknown colour "", expected one of: blue, green, red`,
	} {
		if _, err := r.Named(name); err == nil || err.Error() != want {
			t.Errorf("%q: %v, expected %s", name, err, want)
		}
	}
}

func TestAddPanics(t *testing.T) {
	for _, name := range []string{"", "red"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%q was added", name)
				}
			}()
			registry.Of("colour", func(x string) string { return x }, "red").Add(name, "x")
		}()
	}
}
