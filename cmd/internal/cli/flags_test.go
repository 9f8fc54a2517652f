package cli

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

type inner struct {
	Seed  *int64            `flag:"seed" min:"0" help:"first seed"`
	Last  *time.Duration    `flag:"last" min:"1m" help:"how much"`
	Price map[string]string `flag:"price" help:"<type=USD>"`
}

type options struct {
	Out   string        `flag:"out,o" help:"write into this <folder>"`
	Seeds int           `flag:"seeds" default:"20" min:"1" max:"1000" help:"number of seeds"`
	Rule  string        `flag:"tariff" default:"use" names:"use,peak" help:"one of {names}"`
	As    []string      `flag:"as" names:"@colours" help:"colours"`
	Free  string        `flag:"free" complete:"@colours" help:"{names}, or others"`
	Goal  float64       `flag:"goal" with:"out" above:"0" max:"1e+15" help:"<steps>"`
	Every time.Duration `flag:"every" above:"0" help:"length"`
	Where []string      `flag:"where" help:"<column=value>"`
	Only  []string      `flag:"only" split:"true" help:"<a,b>"`
	Model string        `flag:"model" help:"<name>"`
	Count []int         `flag:"count" help:"counts"`
	inner
	Named inner2
}

type inner2 struct {
	Share float64 `flag:"share" min:"0.5" help:"share"`
	Large uint64  `flag:"large" max:"5" help:"large"`
	Yes   bool    `flag:"yes" help:"yes"`
}

var _ = NameList("colours", func() []Name { return append(Names("red"), Name{"green", "as grass"}) })

// given parses a command line and checks it.
func given(line string) (o options, err error) {
	o.Count = []int{2, 3}
	cmd := WithFlags(&cobra.Command{Use: "x", SilenceErrors: true, SilenceUsage: true}, &o)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return CheckFlags(cmd)
	}
	cmd.SetArgs(strings.Fields(line))
	err = cmd.Execute()
	return o, err
}

// Fields have what is given, and else their defaults.
func TestOn(t *testing.T) {
	o, err := given("")
	if err != nil || o.Seeds != 20 || o.Rule != "use" || o.Seed != nil || o.Last != nil || o.Where != nil || !slices.Equal(o.Count, []int{2, 3}) {
		t.Errorf("defaults: %+v, %v", o, err)
	}
	var set options
	cmd := WithFlags(&cobra.Command{Use: "x", RunE: func(*cobra.Command, []string) error { return nil }}, &set)
	cmd.SetArgs(strings.Fields("-o dir --seeds 7 --seed 0 --last 2m --where a=1,2 --where b=2 --only a,b --every 3s " +
		"--price x=1 --count 5,6 --large 5 --share 0.5 --yes"))
	if err := cmd.Execute(); err != nil {
		t.Fatal(err)
	}
	if set.Out != "dir" || set.Seeds != 7 || *set.Seed != 0 || *set.Last != 2*time.Minute || !slices.Equal(set.Where, []string{"a=1,2", "b=2"}) ||
		!slices.Equal(set.Only, []string{"a", "b"}) || set.Every != 3*time.Second || set.Price["x"] != "1" || !slices.Equal(set.Count, []int{5, 6}) ||
		set.Named.Large != 5 || !set.Named.Yes {
		t.Errorf("%+v", set)
	}
}

// What is out of its bounds, none of the names, or without effect is refused, and says what is expected.
func TestCheck(t *testing.T) {
	for line, want := range map[string]string{
		"--seeds 0": "--seeds 0, expected 1 to 1000", "--seeds 1001": "--seeds 1001, expected 1 to 1000", "--seeds 1": "",
		"--seed -1": "--seed -1, expected at least 0", "--last 1s": "--last 1s, expected at least 1m", "--every 0s": "--every 0s, expected more than 0",
		"--goal 1": "--goal has no effect without --out FOLDER", "--goal 0 -o x": "--goal 0, expected more than 0 and at most 1e+15",
		"--goal NaN -o x": "--goal NaN, expected more than 0 and at most 1e+15", "--large 6": "--large 6, expected at most 5",
		"--tariff peek": "--tariff \"peek\", expected use or peak\ndid you mean \"peak\"?", "--as red --as green": "",
		"--as red --as blue": `--as "blue", expected red or green`,
		"--free blue":        "", "--share 0.4": "--share 0.4, expected at least 0.5",
	} {
		text := ""
		if _, err := given(line); err != nil {
			text = err.Error()
		}
		if text != want {
			t.Errorf("%s: %q, expected %q", line, text, want)
		}
	}
}

// The usage shows what values are called, and the names that there are; the shell completes them.
func TestUsage(t *testing.T) {
	var o options
	cmd := WithFlags(&cobra.Command{Use: "x"}, &o)
	usage := cmd.Flags().FlagUsages()
	for _, want := range []string{"-o, --out folder", "write into this folder", "one of use, peak (default \"use\")", "red, green, or others",
		"number of seeds (default 20)"} {
		if !strings.Contains(usage, want) {
			t.Errorf("the usage lacks %q:\n%s", want, usage)
		}
	}
	if strings.Contains(usage, "--law") {
		t.Errorf("a former name is shown:\n%s", usage)
	}
	of, known := cmd.GetFlagCompletionFunc("free")
	if !known {
		t.Fatal("--free is not completed")
	}
	if list, _ := of(cmd, nil, ""); !slices.Equal(list, []string{"red", "green\tas grass"}) {
		t.Errorf("completions %q", list)
	}
}

// Tags and types that mean nothing are found when the program starts.
func TestMistakes(t *testing.T) {
	for name, bad := range map[string]any{
		"type": &struct {
			A complex128 `flag:"a"`
		}{},
		"default": &struct {
			A int `flag:"a" default:"x"`
		}{},
		"list": &struct {
			A string `flag:"a" complete:"@none"`
		}{},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: it is taken", name)
				}
			}()
			WithFlags(&cobra.Command{}, bad)
		}()
	}
}
