package spec

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
)

// Task is what a task file of SkyPilot says of a job's machines.
type Task struct {
	Name         string
	Nodes        int
	Accelerators []Accelerator // that it may run on, in the order of the file
	InstanceType string
	Spot         bool
	Text         string // of set-up and run, in which a network may be named
}

// Accelerator is a type of GPU and how many a node has.
type Accelerator struct {
	GPU   string
	Count int
}

// taskFile is the part of a task file that a simulation can use.
type taskFile struct {
	Name      string         `yaml:"name"`
	Nodes     int            `yaml:"num_nodes"`
	Resources taskResources  `yaml:"resources"`
	Envs      map[string]any `yaml:"envs"`
	Setup     string         `yaml:"setup"`
	Run       string         `yaml:"run"`
}

type taskResources struct {
	Accelerators any             `yaml:"accelerators"`
	InstanceType string          `yaml:"instance_type"`
	Spot         bool            `yaml:"use_spot"`
	AnyOf        []taskResources `yaml:"any_of"`
	Ordered      []taskResources `yaml:"ordered"`
	Candidates   []taskResources `yaml:"candidates"`
}

// ReadTask reads a task file of SkyPilot: name, num_nodes, and of resources accelerators (A100:8, a list, or a map), instance_type,
// use_spot, any_of and ordered. Other keys are passed over. name is for errors.
func ReadTask(name string, data []byte) (*Task, error) {
	var in taskFile
	if err := yaml.UnmarshalWithOptions(data, &in, yaml.UseOrderedMap()); err != nil {
		return nil, fmt.Errorf("%s: not a task file of SkyPilot: %s", name, yaml.FormatError(err, false, true))
	}
	t := &Task{Name: in.Name, Nodes: max(1, in.Nodes), Text: in.Setup + "\n" + in.Run}
	for key, value := range in.Envs {
		t.Text += fmt.Sprintf("\n%s=%v", key, value)
	}
	if err := t.add(&in.Resources); err != nil {
		return nil, fmt.Errorf("%s: resources: %w", name, err)
	}
	if in.Resources.Accelerators == nil && t.Accelerators == nil && t.InstanceType == "" {
		return nil, fmt.Errorf("%s: resources name no accelerators and no instance_type: it is a task without GPUs; --gpu TYPE:COUNT names some", name)
	}
	return t, nil
}

// add adds what resources say.
func (t *Task) add(r *taskResources) error {
	if r.InstanceType != "" && t.InstanceType == "" {
		t.InstanceType = r.InstanceType
	}
	t.Spot = t.Spot || r.Spot
	var names []string
	switch x := r.Accelerators.(type) {
	case string:
		names = []string{x}
	case []any:
		for _, y := range x {
			names = append(names, fmt.Sprint(y))
		}
	case yaml.MapSlice:
		for _, item := range x {
			if item.Value == nil {
				names = append(names, fmt.Sprint(item.Key))
			} else {
				names = append(names, fmt.Sprintf("%v:%v", item.Key, item.Value))
			}
		}
	}
	for _, name := range names {
		a, err := ParseAccelerator(name)
		if err != nil {
			return err
		}
		t.Accelerators = append(t.Accelerators, a)
	}
	for _, list := range [][]taskResources{r.AnyOf, r.Ordered, r.Candidates} {
		for i := range list {
			if err := t.add(&list[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// memorySuffix is what names of accelerators say of memory or link after the type: A100-80GB, H100-SXM.
var memorySuffix = regexp.MustCompile(`(?i)-(\d+GB|SXM\d*|PCIE|NVL|MEGA|MEGA-80GB)$`)

// ParseAccelerator reads TYPE:COUNT (H100:8; 1 if absent). A100-80GB counts as A100.
func ParseAccelerator(text string) (a Accelerator, err error) {
	name, number, counted := strings.Cut(strings.Trim(strings.TrimSpace(text), "{}'\""), ":")
	a = Accelerator{GPU: strings.TrimSpace(name), Count: 1}
	if counted {
		a.Count, err = strconv.Atoi(strings.TrimSpace(number))
	}
	if err != nil || a.Count < 1 || a.Count > 1024 || a.GPU == "" || strings.ContainsAny(a.GPU, " \t/$") {
		return a, fmt.Errorf("accelerators %q, expected TYPE:COUNT such as H100:8", text)
	}
	for short := ""; short != a.GPU; {
		short = a.GPU
		a.GPU = memorySuffix.ReplaceAllString(a.GPU, "")
	}
	return a, nil
}
