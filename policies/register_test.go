package policies_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
)

func steady() policies.Info {
	return policies.Info{Name: "steady", Doc: "holds the cheapest", Source: "ours",
		Defaults: func() sim.Policy { return &Steady{Instances: 2, Patience: time.Minute} }}
}

func TestRegister(t *testing.T) {
	policies.Register(steady())
	defer policies.Unregister("steady")
	if names := policies.Names(); !slices.Contains(names, "steady") || !slices.IsSorted(names) {
		t.Errorf("%v, want steady among them, sorted", names)
	}
	if _, err := policies.New("steady"); err != nil {
		t.Error(err)
	}
}

// odd is Steady with a setting.
type odd[T any] struct {
	Steady
	Odd T `set:"odd" names:"a,b" doc:"odd"`
}

func TestRegisterPanics(t *testing.T) {
	with := func(change func(*policies.Info)) policies.Info {
		p := steady()
		change(&p)
		return p
	}
	of := func(p sim.Policy) policies.Info {
		return with(func(i *policies.Info) { i.Defaults = func() sim.Policy { return p } })
	}
	bad := &odd[string]{Steady: Steady{Instances: 2, Patience: time.Minute}, Odd: "c"}
	for want, p := range map[string]policies.Info{
		`Register("reactive"): the name is taken`: with(func(i *policies.Info) { i.Name = "reactive" }),
		`expected a name of lower-case letters`:   with(func(i *policies.Info) { i.Name = "My Policy" }),
		`Register(""): expected a name`:           with(func(i *policies.Info) { i.Name = "" }),
		`the policy calls itself "steady"`:        with(func(i *policies.Info) { i.Name = "other" }),
		"expected Doc, Source":                    with(func(i *policies.Info) { i.Doc = "" }),
		"instances is 0, expected 1 to 4096":      of(&Steady{Patience: time.Minute}),
		"odd is c, expected a or b":               of(bad),
		"setting odd is a []int":                  of(&odd[[]int]{Steady: bad.Steady}),
		"setting odd: the bounds are":             of(&odd[int]{Steady: bad.Steady}),
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, want) {
					t.Errorf("%s, want %s", got, want)
				}
			}()
			policies.Register(p)
			defer policies.Unregister(p.Name)
			policies.Named(p.Name) // settings are looked at then
		}()
	}
}
