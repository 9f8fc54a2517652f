package papers

import (
	"fmt"
	"maps"
	"slices"

	"github.com/goccy/go-yaml"
)

// Parameter is a number among the inputs of a figure.
type Parameter struct {
	Path  string // keys and places in lists, such as cases[2].t1_s
	Value float64
	Whole bool // written without a decimal point

	set func(x any)
}

// Parameters returns the numbers among a figure's inputs, but for zeros, in the order of
// their keys.
func (f *Spec) Parameters() ([]Parameter, error) {
	_, list, err := f.parameters()
	return list, err
}

func (f *Spec) parameters() (any, []Parameter, error) {
	var given any
	if err := yaml.Unmarshal(f.Given, &given); err != nil {
		return nil, nil, fmt.Errorf("inputs of %s: %w", f.Name, err)
	}
	var list []Parameter
	walk("", given, func(any) {}, &list)
	return given, list, nil
}

// walk lists the numbers below a value; set replaces the value itself.
func walk(path string, value any, set func(any), list *[]Parameter) {
	number := func(x float64, whole bool) {
		if x != 0 {
			*list = append(*list, Parameter{path, x, whole, set})
		}
	}
	switch v := value.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			below := k
			if path != "" {
				below = path + "." + k
			}
			walk(below, v[k], func(x any) { v[k] = x }, list)
		}
	case []any:
		for i := range v {
			walk(fmt.Sprintf("%s[%d]", path, i), v[i], func(x any) { v[i] = x }, list)
		}
	case uint64:
		number(float64(v), true)
	case int64:
		number(float64(v), true)
	case float64:
		number(v, false)
	}
}

// With returns the figure with another number for the i-th parameter; a whole number stays
// one, rounded down.
func (f *Spec) With(i int, x float64) (*Spec, error) {
	given, list, err := f.parameters()
	if err != nil {
		return nil, err
	}
	if list[i].Whole {
		list[i].set(int64(x))
	} else {
		list[i].set(x)
	}
	data, err := yaml.Marshal(given)
	if err != nil {
		return nil, err
	}
	changed := *f
	changed.Given = data
	return &changed, nil
}
