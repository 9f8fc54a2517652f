package cli

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/marigram/marigram/internal/fields"
	"github.com/marigram/marigram/internal/gone"
	"github.com/marigram/marigram/internal/registry"
)

// CheckFlags returns what is wrong with the flags that are given, by their tags.
func CheckFlags(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		err = errors.Join(err, checkBounds(f), checkNames(f))
		if with := tag(f, "with"); with != "" && !cmd.Flags().Changed(with) {
			err = errors.Join(err, fmt.Errorf("--%s has no effect without %s", f.Name, shown(cmd.Flags().Lookup(with))))
		}
	})
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Annotations[cobra.BashCompOneRequiredFlag] != nil && !f.Changed {
			_, help := pflag.UnquoteUsage(f)
			err = errors.Join(err, fmt.Errorf("%s is missing: %s", shown(f), help))
		}
	})
	return err
}

// Written reports whether a flag names what its command writes, by its tag or by its name: out and output.
func Written(f *pflag.Flag) bool {
	return tag(f, "writes") == "true" || f.Name == "out" || f.Name == "output"
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
	bounds := tag(f, "bounds")
	if bounds == "" {
		return nil
	}
	rule := fields.Of(reflect.StructField{Name: f.Name, Tag: reflect.StructTag(bounds)})
	if number, err := fields.Number(f.Value.String()); err == nil && rule.Holds(number) {
		return nil
	}
	return fmt.Errorf("--%s %v, expected %s", f.Name, f.Value, rule.Expected())
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
		if sentence := gone.Instead(f.Name, value); sentence != "" {
			return fmt.Errorf("--%s: %s", f.Name, sentence)
		}
		return fmt.Errorf("--%s %q, expected %s%s", f.Name, value, fields.Or(names),
			registry.DidYouMean("\n", value, names))
	}
	return nil
}
