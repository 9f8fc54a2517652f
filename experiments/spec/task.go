package spec

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
)

// Task is what a task file of SkyPilot or dstack, or a snippet of Ray Train, says of a job's machines.
type Task struct {
	Name     string
	Nodes    int
	Least    int       // instances on which it trains, too, of an elastic job; 0: it is none
	Machines []Machine // that it may run on, in the order of the file; one without a type of GPU where that names none
	Text     string    // of set-up and run, in which a network may be named
	Policies []string  // that a first spec compares, as their YAML; nil: the usual ones
	Notes    []string  // what it says of recovery, and what is not used, a sentence each

	recovery recovery
}

// Machine is what is asked for of a node. What is left open is empty.
type Machine struct {
	Accelerator
	InstanceType string
	Cloud        string // in lower case, as SkyPilot names it: aws, gcp, azure, lambda
	Region       string
	Zone         string
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
	Mounts    yaml.MapSlice  `yaml:"file_mounts"`
}

type taskResources struct {
	Accelerators any             `yaml:"accelerators"`
	InstanceType string          `yaml:"instance_type"`
	Cloud        string          `yaml:"cloud"`
	Region       string          `yaml:"region"`
	Zone         string          `yaml:"zone"`
	Infra        string          `yaml:"infra"`
	Spot         *bool           `yaml:"use_spot"`
	Recovery     any             `yaml:"job_recovery"`
	SpotRecovery any             `yaml:"spot_recovery"` // its name of 2023
	AnyOf        []taskResources `yaml:"any_of"`
	Ordered      []taskResources `yaml:"ordered"`
	Candidates   []taskResources `yaml:"candidates"`
}

// ReadTask reads a file that describes a job for one of three tools: a snippet of Ray Train, which has a ScalingConfig
// (readRayTask), a task of dstack, which has a type (readDstackTask), or else a task of SkyPilot. name is for errors.
func ReadTask(name string, data []byte) (*Task, error) {
	if isRayTask(data) {
		return readRayTask(name, data)
	}
	var file struct {
		Type string `yaml:"type"`
	}
	if err := yaml.Unmarshal(data, &file); err == nil && file.Type != "" {
		return readDstackTask(name, data)
	}
	return readSkyPilotTask(name, data)
}

// readSkyPilotTask reads a task file of SkyPilot: name, num_nodes, whether a bucket is mounted, and of resources
// accelerators (A100:8, a list, or a map), instance_type, cloud, region, zone, infra, use_spot, job_recovery, any_of
// and ordered. Other keys are passed over; those of resources are named in Notes.
func readSkyPilotTask(name string, data []byte) (*Task, error) {
	var in taskFile
	if err := yaml.UnmarshalWithOptions(data, &in, yaml.UseOrderedMap()); err != nil {
		return nil, fmt.Errorf("%s: not a task file of SkyPilot: %s", name, yaml.FormatError(err, false, true))
	}
	t := &Task{Name: in.Name, Nodes: max(1, in.Nodes), Text: in.Setup + "\n" + in.Run}
	for _, key := range slices.Sorted(maps.Keys(in.Envs)) {
		t.Text += fmt.Sprintf("\n%s=%v", key, in.Envs[key])
	}
	if err := t.add(&in.Resources, Machine{}, nil, &taskResources{}); err != nil {
		return nil, fmt.Errorf("%s: resources: %w", name, err)
	}
	if t.Machines == nil { // --gpu names some
		t.Machines = []Machine{{}}
	}
	t.Policies = t.recovery.policies(t.Nodes)
	t.Notes = t.recovery.notes()
	if t.Policies != nil && !mountsBucket(in.Mounts) {
		t.Notes = append(t.Notes, "the task mounts no bucket: unless it saves elsewhere it starts again from nothing "+
			"after a preemption; the spec has it save")
	}
	if unused := unusedResources(data); unused != nil {
		t.Notes = append(t.Notes, "not used of resources: "+strings.Join(unused, ", "))
	}
	return t, nil
}

// mountsBucket reports whether a task mounts a bucket to which it can write checkpoints: one that is described by keys
// and not by its address alone, and is not copied.
func mountsBucket(mounts yaml.MapSlice) bool {
	for _, mount := range mounts {
		keys, described := mount.Value.(yaml.MapSlice)
		mode := "MOUNT"
		for _, item := range keys {
			if fmt.Sprint(item.Key) == "mode" {
				mode = strings.ToUpper(fmt.Sprint(item.Value))
			}
		}
		if described && (mode == "MOUNT" || mode == "MOUNT_CACHED") {
			return true
		}
	}
	return false
}

// usedResources are the keys of resources that are read.
var usedResources = []string{
	"accelerators", "instance_type", "cloud", "region", "zone", "infra", "use_spot", "job_recovery",
	"spot_recovery", "any_of", "ordered", "candidates",
}

// unusedResources returns the other keys of resources, in the order of the file.
func unusedResources(data []byte) (keys []string) {
	var file struct {
		Resources yaml.MapSlice `yaml:"resources"`
	}
	_ = yaml.UnmarshalWithOptions(data, &file, yaml.UseOrderedMap()) // it was read before
	for _, item := range file.Resources {
		if key := fmt.Sprint(item.Key); !slices.Contains(usedResources, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// add adds the machines of resources. Outer and accelerators are what the resources around them say, which these may
// replace; recovery is what around says of spot and of recovery.
func (t *Task) add(r *taskResources, outer Machine, accelerators []string, around *taskResources) error {
	m := outer
	m.InstanceType = cmp.Or(r.InstanceType, m.InstanceType)
	m.Cloud = cmp.Or(strings.ToLower(r.Cloud), m.Cloud)
	m.Region = cmp.Or(r.Region, m.Region)
	m.Zone = cmp.Or(r.Zone, m.Zone)
	m.setPlace(r.Infra)
	if own := r.accelerators(); own != nil {
		accelerators = own
	}
	said := &taskResources{Spot: cmp.Or(r.Spot, around.Spot), Recovery: around.Recovery}
	if r.SpotRecovery != nil {
		said.Recovery = r.SpotRecovery
	}
	if r.Recovery != nil {
		said.Recovery = r.Recovery
	}
	t.recovery.ordered = t.recovery.ordered || r.Ordered != nil || r.isList()
	alternatives := slices.Concat(r.AnyOf, r.Ordered, r.Candidates)
	for i := range alternatives {
		if err := t.add(&alternatives[i], m, accelerators, said); err != nil {
			return err
		}
	}
	if alternatives != nil {
		return nil
	}
	if err := t.recovery.add(m, said.Spot != nil && *said.Spot, said.Recovery); err != nil {
		return err
	}
	for _, name := range accelerators {
		a, err := ParseAccelerator(name)
		if err != nil {
			return err
		}
		m.Accelerator = a
		t.Machines = append(t.Machines, m)
	}
	if accelerators == nil && m.InstanceType != "" {
		t.Machines = append(t.Machines, m)
	}
	return nil
}

// setPlace takes over what infra says: CLOUD, CLOUD/REGION or CLOUD/REGION/ZONE, with * for any.
func (m *Machine) setPlace(infra string) {
	for i, part := range strings.SplitN(infra, "/", 3) {
		if part == "" || part == "*" {
			continue
		}
		switch i {
		case 0:
			m.Cloud = strings.ToLower(part)
		case 1:
			m.Region = part
		case 2:
			m.Zone = part
		}
	}
}

// isList reports whether accelerators are a list, which is ordered.
func (r *taskResources) isList() bool {
	list, is := r.Accelerators.([]any)
	return is && len(list) > 1
}

// accelerators returns the names of accelerators with their numbers: of one, a list, a set or a map.
func (r *taskResources) accelerators() (names []string) {
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
	return names
}

// Choose takes over the first of the machines that the list of prices has, else the first.
func (s *Starter) Choose(machines []Machine) {
	listed := func(m Machine) bool {
		of := Starter{Cloud: m.Cloud}
		if m.InstanceType != "" {
			return slices.ContainsFunc(of.list(), func(row listedType) bool {
				return strings.EqualFold(row.Type, m.InstanceType)
			})
		}
		return of.Fits(m.Accelerator)
	}
	chosen := machines[max(0, slices.IndexFunc(machines, listed))]
	s.GPU = chosen.Accelerator
	s.Type = chosen.InstanceType
	s.Cloud = chosen.Cloud
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
