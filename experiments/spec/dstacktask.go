package spec

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
)

// dstackFile is the part of a task of dstack that a simulation can use (dstack.yml reference, type task, of 2026).
type dstackFile struct {
	Type      string `yaml:"type"`
	Name      string `yaml:"name"`
	Nodes     int    `yaml:"nodes"`
	Resources struct {
		GPU any `yaml:"gpu"`
	} `yaml:"resources"`
	Spot     string   `yaml:"spot_policy"`
	Retry    any      `yaml:"retry"`
	MaxPrice float64  `yaml:"max_price"`
	Idle     any      `yaml:"idle_duration"`
	Backends []string `yaml:"backends"`
	Regions  []string `yaml:"regions"`
	Commands []string `yaml:"commands"`
	Env      any      `yaml:"env"`
}

// passedOver are keys of a task of dstack that change what it does on spot and are not read.
var passedOver = []string{
	"instance_types", "availability_zones", "creation_policy", "fleets", "max_duration", "reservation",
	"schedule", "utilization_policy", "priority",
}

// readDstackTask reads a task of dstack: name, nodes, resources.gpu, spot_policy, retry, max_price, idle_duration,
// backends and regions. What of them is a setting of the policy dstack becomes one.
func readDstackTask(name string, data []byte) (*Task, error) {
	var in dstackFile
	if err := yaml.UnmarshalWithOptions(data, &in, yaml.UseOrderedMap()); err != nil {
		return nil, fmt.Errorf("%s: not a task of dstack: %s", name, yaml.FormatError(err, false, true))
	}
	if in.Type != "task" {
		return nil, fmt.Errorf("%s: type is %q, expected task: services, environments and fleets do not train",
			name, in.Type)
	}
	t := &Task{Name: in.Name, Nodes: max(1, in.Nodes)}
	t.Text = strings.Join(in.Commands, "\n") + fmt.Sprintf("\n%v", in.Env)
	var m Machine
	var err error
	if m.Accelerator, err = t.dstackGPU(in.Resources.GPU); err != nil {
		return nil, fmt.Errorf("%s: resources.gpu: %w", name, err)
	}
	t.take(&m.Cloud, "backends", in.Backends)
	t.take(&m.Region, "regions", in.Regions)
	m.Cloud = strings.ToLower(m.Cloud)
	t.Machines = []Machine{m}
	if err := t.addDstack(&in); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var keys map[string]any
	_ = yaml.Unmarshal(data, &keys) // it was read before
	var unused []string
	for _, key := range passedOver {
		if _, given := keys[key]; given {
			unused = append(unused, key)
		}
	}
	if unused != nil {
		t.Notes = append(t.Notes, "not used: "+strings.Join(unused, ", "))
	}
	return t, nil
}

// take takes over a name that is the only one of a list. Of several it says that they are left open.
func (t *Task) take(to *string, key string, names []string) {
	if len(names) == 1 {
		*to = names[0]
	} else if len(names) > 1 {
		t.Notes = append(t.Notes, fmt.Sprintf("%s %s: the pools of the market say which it may have",
			key, strings.Join(names, ", ")))
	}
}

// dstackGPU reads resources.gpu: a name, a number and a memory in any order with colons between them (H100:80GB:8),
// each of which may be a range or a list, or keys name, count and memory. Of a list the first counts, of a range its
// beginning.
func (t *Task) dstackGPU(gpu any) (a Accelerator, err error) {
	a.Count = 1
	var parts []string
	switch x := gpu.(type) {
	case nil:
	case yaml.MapSlice:
		for _, item := range x {
			if key := fmt.Sprint(item.Key); key == "name" || key == "count" {
				parts = append(parts, strings.Trim(fmt.Sprint(item.Value), "[] "))
			}
		}
	default:
		parts = strings.Split(fmt.Sprint(x), ":")
	}
	for _, part := range parts {
		first := part
		if i := strings.IndexAny(part, ", "); i >= 0 {
			first = part[:i]
		}
		least, _, isRange := strings.Cut(first, "..")
		n, notNumber := strconv.Atoi(least)
		switch {
		case notNumber == nil:
			a.Count = n
		case first == "" || memoryText.MatchString(least) || slices.Contains(vendors, strings.ToLower(first)):
		default:
			a.GPU = strings.ToUpper(first)
		}
		if isRange && notNumber == nil || first != part {
			t.Notes = append(t.Notes, fmt.Sprintf("resources.gpu says %s: taken as %s", part, least))
		}
	}
	if a.GPU == "" { // --gpu gives one
		return a, nil
	}
	return ParseAccelerator(fmt.Sprintf("%s:%d", a.GPU, a.Count))
}

// memoryText is the memory of a GPU, and vendors are those that a name can begin with.
var (
	memoryText = regexp.MustCompile(`(?i)^\d+(\.\d+)?[MGT]B$`)
	vendors    = []string{"nvidia", "amd", "google", "intel", "tenstorrent"}
)

// addDstack has the spec compare dstack with the settings of the task, if it may use spot.
func (t *Task) addDstack(in *dstackFile) error {
	switch in.Spot {
	case "", "on-demand":
		t.Notes = append(t.Notes, "the task does not ask for spot (spot_policy: spot or auto): "+
			"dstack runs it on demand, and is left out")
		return nil
	case "spot", "auto":
	default:
		return fmt.Errorf("spot_policy is %q, expected spot, on-demand or auto", in.Spot)
	}
	common := []string{"spot_policy: " + in.Spot}
	if in.MaxPrice > 0 {
		common = append(common, fmt.Sprintf("max_price: %g", in.MaxPrice))
	}
	if in.Idle != nil {
		idle, err := dstackSpan(in.Idle)
		if err != nil {
			return fmt.Errorf("idle_duration is %v: %w", in.Idle, err)
		}
		common = append(common, fmt.Sprintf("idle_s: %.0f", idle.Seconds()))
	}
	retry, err := dstackRetry(in.Retry)
	if err != nil {
		return fmt.Errorf("retry: %w", err)
	}
	row := func(name string, settings ...string) string {
		all := slices.Concat(common, settings)
		return fmt.Sprintf("%s, settings: {%s}", name, strings.Join(all, ", "))
	}
	t.Policies = []string{"ondemand", row("dstack", retry...)}
	if retry[0] == "retry: false" {
		t.Policies = append(t.Policies, row("dstack-retry, policy: dstack", "retry: true"))
		t.Notes = append(t.Notes, "the task has no retry: "+
			"the first loss, and a moment without capacity, ends the run; "+
			"dstack-retry is the same with retry: true, an hour")
	}
	t.Policies = append(t.Policies, "karpenter", "mdp")
	t.Notes = append(t.Notes, "dstack: as of 511c318c; a fleet that allows spot and any number of instances; "+
		"an offer without capacity refuses within 10 s (try_s); a loss is seen after 2 min; one instance type",
		"unless the task saves to a volume or a bucket it starts again from nothing after a loss; "+
			"the spec has it save")
	return nil
}

// dstackRetry returns the settings of the policy for what a task says of retries.
func dstackRetry(said any) ([]string, error) {
	switch x := said.(type) {
	case nil:
		return []string{"retry: false"}, nil
	case bool:
		return []string{fmt.Sprintf("retry: %v", x)}, nil
	case yaml.MapSlice:
		settings := []string{"retry: true"}
		for _, item := range x {
			switch fmt.Sprint(item.Key) {
			case "on_events":
				events, err := dstackEvents(item.Value)
				if err != nil {
					return nil, err
				}
				settings = append(settings, "retry_on: "+events)
			case "duration":
				span, err := dstackSpan(item.Value)
				if err != nil {
					return nil, fmt.Errorf("duration is %v: %w", item.Value, err)
				}
				settings = append(settings, fmt.Sprintf("retry_s: %.0f", span.Seconds()))
			}
		}
		return settings, nil
	}
	return nil, fmt.Errorf("it is %v, expected true, false, or on_events and duration", said)
}

// dstackEvents returns the setting retry_on for a list of events.
func dstackEvents(said any) (string, error) {
	list, _ := said.([]any)
	known := []string{"no-capacity", "interruption", "error"}
	var events []string
	for _, event := range known {
		if slices.Contains(list, any(event)) {
			events = append(events, event)
		}
	}
	if len(events) == 0 || len(events) < len(list) {
		return "", fmt.Errorf("on_events is %v, expected some of %s", said, strings.Join(known, ", "))
	}
	if len(events) == len(known) {
		return "all", nil
	}
	return strings.Join(events, "+"), nil
}

// spanText is a span as dstack writes it.
var spanText = regexp.MustCompile(`^(\d{1,9})([smhdw]?)$`)

// dstackSpan reads a span: a number of seconds, or of s, m, h, d or w; off is 0.
func dstackSpan(said any) (time.Duration, error) {
	text := strings.ReplaceAll(fmt.Sprint(said), " ", "")
	if text == "off" || text == "false" {
		return 0, nil
	}
	m := spanText.FindStringSubmatch(text)
	if m == nil {
		return 0, fmt.Errorf("expected a span such as 90s, 5m, 1h, 2d or 1w")
	}
	unit := map[string]time.Duration{"": time.Second, "s": time.Second, "m": time.Minute, "h": time.Hour,
		"d": 24 * time.Hour, "w": 7 * 24 * time.Hour}[m[2]]
	n, _ := strconv.Atoi(m[1])
	const longest = 365 * 24 * time.Hour
	if n > int(longest/unit) {
		return 0, fmt.Errorf("expected at most a year")
	}
	return time.Duration(n) * unit, nil
}
