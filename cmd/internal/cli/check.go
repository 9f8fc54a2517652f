package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/marigram/marigram/internal/fields"
	"github.com/marigram/marigram/internal/registry"
)

// CheckFlags returns what is wrong with the flags that are given, by their tags. Former names are set as the present ones, and
// warned of.
func CheckFlags(cmd *cobra.Command, warn func(text string)) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if now := tag(f, "now"); now != "" {
			warn(fields.RenamedWarning("--"+f.Name, "--"+now))
			cmd.Flags().Lookup(now).Changed = true
		}
	})
	cmd.Flags().Visit(func(f *pflag.Flag) {
		err = errors.Join(err, checkBounds(f), checkNames(f))
		if with := tag(f, "with"); with != "" && !cmd.Flags().Changed(with) {
			err = errors.Join(err, fmt.Errorf("--%s has no effect without %s", f.Name, shown(cmd.Flags().Lookup(with))))
		}
	})
	return err
}

// Written reports whether a flag names what its command writes, by its tag or by its name: out, output and live.
func Written(f *pflag.Flag) bool {
	return tag(f, "writes") == "true" || f.Name == "out" || f.Name == "output" || f.Name == "live"
}

func tag(f *pflag.Flag, key string) string {
	if list := f.Annotations["marigram_"+key]; list != nil {
		return list[0]
	}
	return ""
}

// shown is a flag with its value, as a usage shows it: "--out FOLDER".
func shown(f *pflag.Flag) string {
	kind, _ := pflag.UnquoteUsage(f)
	return strings.TrimSpace("--" + f.Name + " " + strings.ToUpper(kind))
}

// checkBounds checks a number or a span against its bounds.
func checkBounds(f *pflag.Flag) error {
	smallest, largest, over := tag(f, "min"), tag(f, "max"), tag(f, "over")
	if smallest == "" && largest == "" && over == "" {
		return nil
	}
	x, ok := number(f.Value.String())
	low, _ := number(smallest + over)
	high, _ := number(largest)
	if ok && (smallest == "" || x >= low) && (over == "" || x > low) && (largest == "" || x <= high) {
		return nil
	}
	expected := "at least " + smallest
	switch {
	case over != "" && largest != "":
		expected = "more than " + over + " and at most " + largest
	case over != "":
		expected = "more than " + over
	case smallest == "":
		expected = "at most " + largest
	case largest != "":
		expected = smallest + " to " + largest
	}
	return fmt.Errorf("--%s %v, expected %s", f.Name, f.Value, expected)
}

// number reads a number or a span, which is no NaN.
func number(text string) (x float64, ok bool) {
	if d, err := time.ParseDuration(text); err == nil {
		return d.Seconds(), true
	}
	x, err := strconv.ParseFloat(text, 64)
	return x, err == nil && x == x
}

func checkNames(f *pflag.Flag) error {
	text := tag(f, "names")
	if text == "" {
		return nil
	}
	names := known(text)
	values := []string{f.Value.String()}
	if list, is := f.Value.(pflag.SliceValue); is {
		values = list.GetSlice()
	}
	for _, value := range values {
		if slices.Contains(names, value) {
			continue
		}
		return fmt.Errorf("--%s %q, expected %s%s", f.Name, value, fields.Or(names), registry.DidYouMean("\n", value, names))
	}
	return nil
}
