package cli

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/policies"
)

// Name is a value that a flag can have, with what it means.
type Name struct{ Name, Doc string }

var lists = map[string]func() []Name{}

// NameList declares a list of names, for tags. A package calls it as it is initialised; it returns the list's name.
func NameList(name string, of func() []Name) string {
	lists["@"+name] = of
	return name
}

// Names returns names without a meaning.
func Names(names ...string) (out []Name) {
	for _, name := range names {
		out = append(out, Name{Name: name})
	}
	return out
}

var helps sync.Map // by list: several commands show the same

// NamesHelp lists the names of a list with what they mean, for a help text.
func NamesHelp(title, list string) string {
	if text, known := helps.Load(list); known {
		return text.(string)
	}
	names := listed("@" + list)
	width := 0
	for _, one := range names {
		width = max(width, len(one.Name))
	}
	text := title + ":\n"
	for _, one := range names {
		text += "  " + one.Name + strings.Repeat(" ", width-len(one.Name)+2) + one.Doc + "\n"
	}
	helps.Store(list, text)
	return text
}

// WithFlags declares the flags of structs on a command, which it returns. It panics where a tag or a type is not as
// the package says.
//
//	type options struct {
//		Out   string        `flag:"out,o" help:"write the tables into this <folder>"`
//		Seeds int           `flag:"seeds" default:"20" min:"1" max:"1000" help:"number of seeds"`
//		Rule  string        `flag:"tariff" names:"use,peak" help:"how users share the cost: {names}"`
//		Goal  float64       `flag:"goal" with:"plot" help:"<steps> that are the whole way, for the figure"`
//		Every time.Duration `flag:"every" above:"0" help:"length of an interval"`
//		Where []string      `flag:"where" help:"only rows with this <column=value>; may be repeated"`
//	}
//
// A flag has a name and perhaps a letter. A field is a bool, a string, a time.Duration, a number, a list of strings
// (each use of the flag adds one, or several between commas if split is true) or of numbers, or texts by name. Its
// default is its value, or the tag default. A pointer to one of them is nil unless the flag is given. Fields that are
// structs lend theirs.
//
// A word of the help in angle brackets is what the usage calls the value: <file>, <folder> and <trace> are paths.
// {names} is the list of names. What a value has to be is checked by CheckFlags where the flag is given:
//
//	min, max   bounds; above: a bound that is not reached (package fields)
//	names      one of these, or of a list that NameList declares ("@policies"); complete: such names, or others;
//	           "settings" are those of the policies of a spec
//	required   true: the flag is not left out
//	with       another flag, without which this one has no effect
//	writes     true: the command writes the file or folder (see Written)
func WithFlags(cmd *cobra.Command, structs ...any) *cobra.Command {
	for _, one := range structs {
		each(reflect.ValueOf(one).Elem(), func(f reflect.StructField, v reflect.Value) { declare(cmd, f, v) })
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
	tags := tagsOf(field.Tag)
	name, letter, _ := strings.Cut(tags["flag"], ",")
	help := tags["help"]
	if before, after, found := strings.Cut(help, "{names}"); found {
		help = before + strings.Join(known(tags["names"]+tags["complete"]), ", ") + after
	}
	value := v
	if v.Kind() == reflect.Pointer {
		value = reflect.New(v.Type().Elem()).Elem()
	}
	usage := strings.NewReplacer("<", "`", ">", "`").Replace(help)
	declared := add(cmd.Flags(), value, name, letter, usage, tags["split"] == "true")
	if v.Kind() == reflect.Pointer {
		declared.Value = &optional{Value: declared.Value, given: func() { v.Set(value.Addr()) }}
		declared.DefValue = ""
	}
	if text := tags["default"]; text != "" {
		must(field, declared.Value.Set(text))
		declared.DefValue = declared.Value.String()
	}
	for _, key := range []string{"names", "with", "writes"} {
		if text := tags[key]; text != "" {
			declared.Annotations = annotated(declared.Annotations, key, text)
		}
	}
	if tags["min"]+tags["max"]+tags["above"] != "" {
		declared.Annotations = annotated(declared.Annotations, "bounds", string(field.Tag))
	}
	if tags["required"] == "true" {
		must(field, cmd.MarkFlagRequired(name))
	}
	if list := tags["names"] + tags["complete"]; list != "" {
		if strings.HasPrefix(list, "@") && lists[list] == nil {
			panic("flags: no list " + list)
		}
		completed := complete(list)
		if list == "settings" {
			completed = settings
		}
		must(field, cmd.RegisterFlagCompletionFunc(name, completed))
	}
}

// tagsOf returns the tags of a field, by key, in one pass.
func tagsOf(tag reflect.StructTag) map[string]string {
	all := make(map[string]string, 8)
	for rest := string(tag); ; {
		key, after, more := strings.Cut(strings.TrimLeft(rest, " "), ":")
		if !more {
			return all
		}
		quoted, err := strconv.QuotedPrefix(after)
		if err != nil {
			return all
		}
		all[key], _ = strconv.Unquote(quoted)
		rest = after[len(quoted):]
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

// known returns the names that a tag gives.
func known(text string) (names []string) {
	for _, one := range listed(text) {
		names = append(names, one.Name)
	}
	return names
}

// Complete completes an argument with the names of a list.
func Complete(list string) cobra.CompletionFunc { return complete("@" + list) }

func complete(list string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) (out []cobra.Completion, _ cobra.ShellCompDirective) {
		for _, one := range listed(list) {
			if one.Doc == "" {
				out = append(out, one.Name)
			} else {
				out = append(out, cobra.CompletionWithDesc(one.Name, one.Doc))
			}
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}

// add adds a flag whose value is a field.
func add(set *pflag.FlagSet, v reflect.Value, name, letter, usage string, split bool) *pflag.Flag {
	switch p := v.Addr().Interface().(type) {
	case *string:
		set.StringVarP(p, name, letter, *p, usage)
	case *bool:
		set.BoolVarP(p, name, letter, *p, usage)
	case *int:
		set.IntVarP(p, name, letter, *p, usage)
	case *int64:
		set.Int64VarP(p, name, letter, *p, usage)
	case *uint64:
		set.Uint64VarP(p, name, letter, *p, usage)
	case *float64:
		set.Float64VarP(p, name, letter, *p, usage)
	case *time.Duration:
		set.DurationVarP(p, name, letter, *p, usage)
	case *[]string:
		if split {
			set.StringSliceVarP(p, name, letter, *p, usage)
		} else {
			set.StringArrayVarP(p, name, letter, *p, usage)
		}
	case *[]int:
		set.IntSliceVarP(p, name, letter, *p, usage)
	case *[]int64:
		set.Int64SliceVarP(p, name, letter, *p, usage)
	case *[]float64:
		set.Float64SliceVarP(p, name, letter, *p, usage)
	case *map[string]string:
		set.StringToStringVarP(p, name, letter, *p, usage)
	default:
		panic(fmt.Sprintf("flags: no flag is a %v", v.Type()))
	}
	return set.Lookup(name)
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

// settings completes a flag --set: settings of the policies of the spec that the command is about, and what they
// take. Commands of a spec are not started for that.
func settings(_ *cobra.Command, args []string, begun string) (out []cobra.Completion, _ cobra.ShellCompDirective) {
	const directive = cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
	if len(args) == 0 {
		return nil, directive
	}
	s, err := spec.Open(args[0])
	if err != nil {
		return nil, directive
	}
	path, _, valued := strings.Cut(begun, "=")
	seen := map[string]bool{}
	for i := range s.Policies {
		policy, err := s.Policies[i].New()
		if err != nil {
			continue
		}
		for _, setting := range policies.Settings(policy) {
			name := "policy." + setting.Name
			if seen[name] || valued && name != path {
				continue
			}
			seen[name] = true
			if _, is := setting.Value.(bool); is && valued {
				setting.Names = []string{"true", "false"}
			}
			if !valued {
				about := fmt.Sprintf("%s (%s, now %v)", setting.Doc, setting.Expected(), setting.Value)
				out = append(out, cobra.CompletionWithDesc(name+"=", about))
				continue
			}
			for _, value := range setting.Names {
				out = append(out, name+"="+value)
			}
		}
	}
	return out, directive
}
