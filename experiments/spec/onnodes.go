package spec

import (
	"github.com/goccy/go-yaml"
)

// ModelOn returns the section model of the spec's file, as YAML, for so many instances that train together. Workers
// of the model are at most that many; a number of workers that is fixed becomes it. The rest stays.
func (s *Spec) ModelOn(nodes int) (string, error) {
	_, source := s.Source()
	var whole struct {
		Model yaml.MapSlice `yaml:"model"`
	}
	if err := yaml.UnmarshalWithOptions(source, &whole, yaml.UseOrderedMap()); err != nil {
		return "", err
	}
	if len(whole.Model) == 0 {
		return "", s.ErrorAt("$", "model is missing: it is what is trained")
	}
	for _, item := range whole.Model {
		keys, is := item.Value.(yaml.MapSlice)
		if !is {
			continue
		}
		for k := range keys {
			if bounds, is := keys[k].Value.(yaml.MapSlice); is && keys[k].Key == "workers" {
				keys[k].Value = atMost(bounds, nodes)
			}
		}
	}
	text, err := yaml.Marshal(whole)
	return string(text), err
}

// atMost returns bounds of workers for a number of instances.
func atMost(bounds yaml.MapSlice, nodes int) yaml.MapSlice {
	limits := bounds.ToMap()
	most := uint64(nodes)
	least, bounded := limits["min"].(uint64)
	switch {
	case !bounded:
		return yaml.MapSlice{{Key: "max", Value: most}}
	case least == limits["max"] || least > most:
		least = most
	}
	return yaml.MapSlice{{Key: "min", Value: least}, {Key: "max", Value: most}}
}
