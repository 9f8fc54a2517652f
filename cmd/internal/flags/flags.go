// Package flags declares the flags of a command from the tagged fields of a struct, as settings of policies are.
//
//	type options struct {
//		Out   string        `flag:"out,o" help:"write the tables into this <folder>"`
//		Seeds int           `flag:"seeds" default:"20" min:"1" max:"1000" help:"number of seeds"`
//		Rule  string        `flag:"tariff" names:"use,peak" help:"how users share the cost: {names}"`
//		Goal  float64       `flag:"goal" with:"plot" help:"<steps> that are the whole way, for the figure"`
//		Every time.Duration `flag:"every" over:"0" help:"length of an interval"`
//		Where []string      `flag:"where" help:"only rows with this <column=value>; may be repeated"`
//	}
//
// A flag has a name and perhaps a letter. A field is a bool, a string, a time.Duration, a number, a list of strings (each
// use of the flag adds one, or several between commas if split is true) or of numbers, or texts by name. Its default is its
// value, or the tag default. A pointer to one of them is nil unless the flag is given. Fields that are structs lend theirs.
//
// A word of the help in angle brackets is what the usage calls the value: <file>, <folder> and <trace> are paths.
// {names} is the list of names. What a value has to be is checked by Check where the flag is given:
//
//	min, max   bounds; over: a bound that is not reached
//	names      one of these, or of a list that List declares ("@policies"); complete: such names, or others
//	required   true: the flag is not left out
//	with       another flag, without which this one has no effect
//	was        its former name (package renamed)
package flags

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/marigram/marigram/internal/renamed"
)

// Name is a value that a flag can have, with what it means.
type Name struct{ Name, Doc string }

var lists = map[string]func() []Name{}

// List declares a list of names, for tags. A package calls it as it is initialised; it returns the list's name.
func List(name string, of func() []Name) string {
	lists["@"+name] = of
	return name
}

// Names returns names without a meaning.
func Names(names ...string) (out []Name) {
	for _, n := range names {
		out = append(out, Name{Name: n})
	}
	return out
}

// Help lists the names of a list with what they mean, for a help text.
func Help(title, list string) string {
	names, width := listed("@"+list), 0
	for _, n := range names {
		width = max(width, len(n.Name))
	}
	text := title + ":\n"
	for _, n := range names {
		text += fmt.Sprintf("  %-*s  %s\n", width, n.Name, n.Doc)
	}
	return text
}

// On declares the flags of structs on a command, which it returns. It panics where a tag or a type is not as the package
// says.
func On(cmd *cobra.Command, structs ...any) *cobra.Command {
	for _, s := range structs {
		each(reflect.ValueOf(s).Elem(), func(f reflect.StructField, v reflect.Value) { declare(cmd, f, v) })
	}
	return cmd
}

// each visits the fields that are flags, those of structs within too.
func each(v reflect.Value, visit func(reflect.StructField, reflect.Value)) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if _, is := f.Tag.Lookup("flag"); is {
			visit(f, v.Field(i))
		} else if f.Type.Kind() == reflect.Struct && (f.IsExported() || f.Anonymous) {
			each(v.Field(i), visit)
		}
	}
}

func declare(cmd *cobra.Command, field reflect.StructField, v reflect.Value) {
	name, letter, _ := strings.Cut(field.Tag.Get("flag"), ",")
	names := append(listed(field.Tag.Get("names")), listed(field.Tag.Get("complete"))...)
	f := &pflag.Flag{Name: name, Shorthand: letter, Usage: usage(field.Tag.Get("help"), names), Value: value(v, field.Tag)}
	if text, has := field.Tag.Lookup("default"); has {
		must(field, f.Value.Set(text))
	}
	if f.DefValue = f.Value.String(); f.Value.Type() == "bool" {
		f.NoOptDefVal = "true"
	}
	for _, key := range []string{"min", "max", "over", "names", "with", "was"} {
		if text, has := field.Tag.Lookup(key); has {
			f.Annotations = annotated(f.Annotations, key, text)
		}
	}
	cmd.Flags().AddFlag(f)
	for _, former := range renamed.Former(field) {
		cmd.Flags().AddFlag(&pflag.Flag{Name: former, Value: f.Value, DefValue: f.DefValue, NoOptDefVal: f.NoOptDefVal, Hidden: true,
			Annotations: annotated(nil, "now", name)})
	}
	if field.Tag.Get("required") == "true" {
		must(field, cmd.MarkFlagRequired(name))
	}
	if names != nil {
		must(field, cmd.RegisterFlagCompletionFunc(name, complete(names)))
	}
}

func annotated(all map[string][]string, key, text string) map[string][]string {
	if all == nil {
		all = map[string][]string{}
	}
	all["marigram_"+key] = []string{text}
	return all
}

func must(field reflect.StructField, err error) {
	if err != nil {
		panic(fmt.Sprintf("flags: field %s %v, tag %q: %v", field.Name, field.Type, field.Tag, err))
	}
}

// listed returns the names that a tag gives.
func listed(text string) []Name {
	if text == "" {
		return nil
	}
	if strings.HasPrefix(text, "@") {
		if lists[text] == nil {
			panic("flags: no list " + text)
		}
		return lists[text]()
	}
	return Names(strings.Split(text, ",")...)
}

// usage is the help as pflag takes it.
func usage(help string, names []Name) string {
	var all []string
	for _, n := range names {
		all = append(all, n.Name)
	}
	return strings.NewReplacer("<", "`", ">", "`", "{names}", strings.Join(all, ", ")).Replace(help)
}

// Complete completes an argument with the names of a list.
func Complete(list string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, text string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return complete(listed("@"+list))(cmd, args, text)
	}
}

func complete(names []Name) cobra.CompletionFunc {
	var out []cobra.Completion
	for _, n := range names {
		if n.Doc == "" {
			out = append(out, n.Name)
		} else {
			out = append(out, cobra.CompletionWithDesc(n.Name, n.Doc))
		}
	}
	return cobra.FixedCompletions(out, cobra.ShellCompDirectiveNoFileComp)
}

// value returns the value of a field as pflag keeps it.
func value(v reflect.Value, tag reflect.StructTag) pflag.Value {
	const name = "x"
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	if v.Kind() == reflect.Pointer {
		x := reflect.New(v.Type().Elem())
		return &optional{Value: value(x.Elem(), tag), given: func() { v.Set(x) }}
	}
	switch p := v.Addr().Interface().(type) {
	case *string:
		set.StringVar(p, name, *p, "")
	case *bool:
		set.BoolVar(p, name, *p, "")
	case *int:
		set.IntVar(p, name, *p, "")
	case *int64:
		set.Int64Var(p, name, *p, "")
	case *uint64:
		set.Uint64Var(p, name, *p, "")
	case *float64:
		set.Float64Var(p, name, *p, "")
	case *time.Duration:
		set.DurationVar(p, name, *p, "")
	case *[]string:
		if tag.Get("split") == "true" {
			set.StringSliceVar(p, name, *p, "")
		} else {
			set.StringArrayVar(p, name, *p, "")
		}
	case *[]int:
		set.IntSliceVar(p, name, *p, "")
	case *[]int64:
		set.Int64SliceVar(p, name, *p, "")
	case *[]float64:
		set.Float64SliceVar(p, name, *p, "")
	case *map[string]string:
		set.StringToStringVar(p, name, *p, "")
	default:
		panic(fmt.Sprintf("flags: no flag is a %v", v.Type()))
	}
	return set.Lookup(name).Value
}

// optional is a value that is nothing until it is given.
type optional struct {
	pflag.Value
	given func()
	is    bool
}

// Set sets the value.
func (o *optional) Set(text string) error {
	err := o.Value.Set(text)
	if err == nil {
		o.is = true
		o.given()
	}
	return err
}

// String returns the value, "" if there is none.
func (o *optional) String() string {
	if !o.is {
		return ""
	}
	return o.Value.String()
}
