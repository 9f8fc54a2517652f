package policies

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/marigram/marigram/internal/fields"
	"github.com/marigram/marigram/sim"
)

// Setting is an exported field of a policy that specs and sweeps can change. The
// field's tags describe it, and its type says what it takes:
//
//	Patience time.Duration `set:"patience_s" min:"0" max:"86400" doc:"how long a request waits"`
//	Grace    bool          `set:"grace" doc:"changes the layout at the notice"`
//	Rule     string        `set:"rule" names:"young,daly" doc:"formula of the interval"`
//
// A float64, an int or a time.Duration is a number between min and max, a span in
// seconds, which the suffix _s of its name says. A bool is a switch. A string, or a type of
// strings, is one of the names; an empty one is the first of them.
//
// A number of instances beyond which the job never trains has a tag holds: of "all" pools together, or of "each" spot
// pool. 0 is no limit. A run says where that number is too small for the objective.
//
// A setting that stands for something that its source does not say, or that has another default there, has a tag
// assumed, which says why. Rows of results name it with its value (Assumptions).
type Setting struct {
	Name    string
	Doc     string // with what is assumed
	Assumed string // why its default is assumed; empty: it is not

	Value    any      // at present: a float64, a bool or a string
	Min, Max float64  // of a number
	Names    []string // that a string can be; nil of others
	Holds    string   // all or each: a number of instances of these pools, the most that the job trains on; else empty

	rule  fields.Rule
	field reflect.Value
}

// Declarer is a policy whose settings are the fields of another struct, to which it points: those that a plug-in says
// it has. nil: it does not say.
type Declarer interface{ Declared() any }

// Settings returns the settings of a policy with their present values, in the
// order of its fields, those of embedded structs included, and then those of the policy
// within a Wrapper. It panics where a tag or a type is not as Setting says.
func Settings(p sim.Policy) []Setting {
	v := reflect.ValueOf(p).Elem()
	var out []Setting
	if d, is := p.(Declarer); is {
		of := d.Declared()
		if of == nil {
			return nil
		}
		v = reflect.ValueOf(of).Elem()
	}
	for _, f := range reflect.VisibleFields(v.Type()) {
		if name, ok := f.Tag.Lookup("set"); ok {
			out = append(out, newSetting(name, f, v.FieldByIndex(f.Index)))
		}
	}
	if w, ok := p.(Wrapper); ok {
		out = append(out, Settings(w.Unwrap())...)
	}
	return out
}

// Numbers returns the settings of a policy that are numbers, by name.
func Numbers(p sim.Policy) map[string]float64 {
	numbers := map[string]float64{}
	for _, setting := range Settings(p) {
		if number, is := setting.Value.(float64); is {
			numbers[setting.Name] = number
		}
	}
	return numbers
}

func newSetting(name string, f reflect.StructField, field reflect.Value) Setting {
	rule := fields.Of(f)
	s := Setting{
		Name:    name,
		Doc:     f.Tag.Get("doc"),
		Assumed: f.Tag.Get("assumed"),
		Holds:   f.Tag.Get("holds"),
		Min:     rule.Min,
		Max:     rule.Max,
		Names:   rule.Names,
		rule:    rule,
		field:   field,
	}
	if s.Assumed != "" {
		s.Doc += "; assumed: " + s.Assumed
	}
	switch field.Kind() {
	case reflect.Bool:
		s.Value = field.Bool()
	case reflect.String:
		s.Value = field.String()
		if s.Value == "" && len(s.Names) > 0 {
			s.Value = s.Names[0]
		}
	default:
		s.Value = s.number()
	}
	return s
}

// number returns the value of a field that is a number.
func (s *Setting) number() float64 {
	switch x := s.field.Interface().(type) {
	case time.Duration:
		return x.Seconds()
	case int:
		return float64(x)
	case float64:
		return x
	}
	panic(fmt.Sprintf("policies: setting %s is a %v, expected a number, a time.Duration, a bool or a string", s.Name,
		s.field.Type()))
}

// check reports what is wrong with a setting's tags and default.
func (s *Setting) check() error {
	value, number := s.Value.(float64)
	name, _ := s.Value.(string)
	switch {
	case s.Name == "" || s.Doc == "":
		return fmt.Errorf("setting %q: expected a name and a doc", s.Name)
	case number && !(s.Min < s.Max && s.Max-s.Min < math.Inf(1)):
		return fmt.Errorf("setting %s: the bounds are %v and %v", s.Name, s.Min, s.Max)
	case number && (value < s.Min || value > s.Max):
		return fmt.Errorf("setting %s: the default: %w", s.Name, s.refuse(value))
	case s.field.Kind() == reflect.String && (!slices.Contains(s.Names, name) || slices.Contains(s.Names, "")):
		return fmt.Errorf("setting %s: the default: %w", s.Name, s.refuse(name))
	}
	return nil
}

// Expected says what a setting takes: "0 to 86400", "true or false", or its names.
func (s *Setting) Expected() string {
	if _, is := s.Value.(bool); is {
		return "true or false"
	}
	return s.rule.Expected()
}

// Set changes the setting in its policy: to a number of any Go type, true or false,
// or a name. Anything else and a number out of range are errors, and so is a span of
// less than a second but 0: a policy that looks so often makes a run endless.
func (s *Setting) Set(value any) error {
	if x, isNumber := toNumber(value); isNumber {
		if _, takesNumber := s.Value.(float64); takesNumber {
			return s.setNumber(x)
		}
	}
	switch x := value.(type) {
	case bool:
		if _, is := s.Value.(bool); is {
			s.field.SetBool(x)
			s.Value = x
			return nil
		}
	case string:
		if slices.Contains(s.Names, x) {
			s.field.SetString(x)
			s.Value = x
			return nil
		}
	}
	return s.refuse(value)
}

func (s *Setting) refuse(value any) error {
	if _, number := s.Value.(float64); number {
		if _, is := toNumber(value); !is {
			return fmt.Errorf("%s is %v, expected a number, %s", s.Name, value, s.Expected())
		}
	}
	return fmt.Errorf("%s is %v, expected %s", s.Name, value, s.Expected())
}

func (s *Setting) setNumber(x float64) error {
	if !s.rule.Holds(x) {
		return s.refuse(x)
	}
	switch s.field.Interface().(type) {
	case time.Duration:
		if x > 0 && x < 1 {
			return fmt.Errorf("%s is %v, expected 0 or at least 1", s.Name, x)
		}
		s.field.SetInt(int64(math.Round(x * float64(time.Second))))
	case int:
		if x != math.Trunc(x) {
			return fmt.Errorf("%s is %v, expected a whole number", s.Name, x)
		}
		s.field.SetInt(int64(x))
	default:
		s.field.SetFloat(x)
	}
	s.Value = x
	return nil
}

// toNumber returns a number of any type as a float64.
func toNumber(value any) (x float64, is bool) {
	v := reflect.ValueOf(value)
	switch {
	case v.CanInt():
		return float64(v.Int()), true
	case v.CanUint():
		return float64(v.Uint()), true
	case v.CanFloat():
		return v.Float(), true
	}
	return 0, false
}

// UnknownSettingError is the error of a setting that a policy does not have.
type UnknownSettingError struct {
	Policy, Setting string
	Known           []string // settings that it has
}

func (e *UnknownSettingError) Error() string {
	return fmt.Sprintf("policy %s has no setting %q; it has %s", e.Policy, e.Setting, strings.Join(e.Known, ", "))
}

// Configure changes settings of a policy by name; values are as Setting.Set takes them. Errors name the policy; the
// first, by the settings' names, is returned.
func Configure(p sim.Policy, values map[string]any) error {
	settings := Settings(p)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		i := slices.IndexFunc(settings, func(s Setting) bool { return s.Name == name })
		if i < 0 {
			unknown := &UnknownSettingError{Policy: p.Name(), Setting: name}
			for i := range settings {
				unknown.Known = append(unknown.Known, settings[i].Name)
			}
			return unknown
		}
		if err := settings[i].Set(values[name]); err != nil {
			return fmt.Errorf("policy %s: %w", p.Name(), err)
		}
	}
	return nil
}
