package plugin

import (
	"embed"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/marigram/marigram/policies/plugin/message"
)

// settingName is what a setting may be called.
var settingName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)

// maxSettings bounds the settings of a plug-in.
const maxSettings = 256

// Struct returns a pointer to a struct whose fields are the settings that a plug-in says it has, with their defaults
// and with the tags of settings in Go (policies.Setting): what reads and changes those does so with these. Errors name
// the setting.
func Struct(settings []message.Setting) (any, error) {
	if len(settings) > maxSettings {
		return nil, fmt.Errorf("%d settings, expected at most %d", len(settings), maxSettings)
	}
	var fields []reflect.StructField
	var values []reflect.Value
	var names []string
	for i := range settings {
		s := &settings[i]
		value, tag, err := parts(s)
		switch {
		case !settingName.MatchString(s.Name):
			err = fmt.Errorf("expected a name of lower-case letters, digits and _")
		case slices.Contains(names, s.Name):
			err = fmt.Errorf("it is declared twice")
		case err == nil && s.Doc == "":
			err = fmt.Errorf("expected a doc, what it does")
		}
		if err != nil {
			return nil, fmt.Errorf("setting %.80q: %w", s.Name, err)
		}
		tag = fmt.Sprintf("set:%q doc:%q %s", s.Name, s.Doc, tag)
		names = append(names, s.Name)
		field := reflect.StructField{Name: fmt.Sprint("F", i), Type: value.Type(), Tag: reflect.StructTag(tag)}
		fields = append(fields, field)
		values = append(values, value)
	}
	all := reflect.New(reflect.StructOf(fields))
	for i, v := range values {
		all.Elem().Field(i).Set(v)
	}
	return all.Interface(), nil
}

// parts returns the default of a setting, and the tags that bound it.
func parts(s *message.Setting) (value reflect.Value, tag string, err error) {
	number, isNumber := s.Default.(float64)
	text, isText := s.Default.(string)
	_, isSwitch := s.Default.(bool)
	bounded := s.Min != nil && s.Max != nil && *s.Min < *s.Max && !math.IsInf(*s.Max-*s.Min, 0)
	switch {
	case isNumber && !bounded:
		err = fmt.Errorf("a number has two bounds, expected min below max")
	case !isNumber && (s.Min != nil || s.Max != nil || s.Whole):
		err = fmt.Errorf("min, max and whole are of numbers, but its default is %v", s.Default)
	case isNumber && (number < *s.Min || number > *s.Max):
		err = fmt.Errorf("its default is %v, expected %v to %v", number, *s.Min, *s.Max)
	case isNumber && s.Whole && number != math.Trunc(number):
		err = fmt.Errorf("its default is %v, expected a whole number", number)
	case isText && (!slices.Contains(s.Names, text) || slices.ContainsFunc(s.Names, cannotBeListed)):
		err = fmt.Errorf("its default is %q, expected one of its names %q, which have no comma", text, s.Names)
	case !isText && s.Names != nil:
		err = fmt.Errorf("names are of texts, but its default is %v", s.Default)
	case !isNumber && !isText && !isSwitch:
		err = fmt.Errorf("its default is %v, expected a number, true or false, or one of its names", s.Default)
	}
	if err != nil {
		return value, "", err
	}
	value = reflect.ValueOf(s.Default)
	if isNumber {
		if s.Whole {
			value = reflect.ValueOf(int(number))
		}
		least := strconv.FormatFloat(*s.Min, 'g', -1, 64)
		most := strconv.FormatFloat(*s.Max, 'g', -1, 64)
		tag = fmt.Sprintf("min:%q max:%q", least, most)
	}
	if isText {
		tag = fmt.Sprintf("names:%q", strings.Join(s.Names, ","))
	}
	return value, tag, nil
}

// cannotBeListed reports whether a name cannot stand in a list of names between commas.
func cannotBeListed(name string) bool { return name == "" || strings.Contains(name, ",") }

// templates are what policies of your own begin with, in Python: short examples.
//
//go:embed templates/*.py
var templates embed.FS

// Template returns a file that policies of your own begin with. It panics where there is none of the name. There are:
//
//	cheapest.py  a short policy in Python (package python has what it imports)
//	learn.py     a program that learns a policy in marigram.VectorEnv
//	uniform.py   a short policy for the interface of Can't Be Late and Frontier-CS (package python has its adapter)
func Template(name string) []byte {
	data, err := templates.ReadFile("templates/" + name)
	if err != nil {
		panic(err)
	}
	return data
}
