package spec

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// What of a snippet of Ray Train is read: arguments that are numbers or texts in the code itself.
var (
	rayConfig   = regexp.MustCompile(`\bScalingConfig\s*\(`)
	rayComment  = regexp.MustCompile(`(?m)#.*$`)
	rayRange    = regexp.MustCompile(`\bnum_workers\s*=\s*\(\s*(\d{1,4})\s*,\s*(\d{1,4})\s*,?\s*\)`)
	rayWorkers  = regexp.MustCompile(`\bnum_workers\s*=\s*(\d{1,4})\s*[,)\n]`)
	rayGPUs     = regexp.MustCompile(`\bresources_per_worker\s*=\s*\{[^}]*["']GPU["']\s*:\s*(\d{1,3})`)
	rayType     = regexp.MustCompile(`\baccelerator_type\s*=\s*["']([\w.-]{1,40})["']`)
	rayInterval = regexp.MustCompile(`\belastic_resize_monitor_interval_s\s*=\s*(\d{1,5})`)
	rayFailures = regexp.MustCompile(`\bmax_failures\s*=\s*(-?\d{1,4})`)
)

// isRayTask reports whether a file is Python code with a ScalingConfig.
func isRayTask(data []byte) bool { return rayConfig.Match(data) }

// readRayTask reads a snippet of Ray Train: num_workers, a number or (least, most), accelerator_type and the GPUs of
// resources_per_worker, elastic_resize_monitor_interval_s, and max_failures of a FailureConfig.
func readRayTask(name string, data []byte) (*Task, error) {
	code := rayComment.ReplaceAllString(string(data), "")
	t := &Task{Text: code}
	least := 0
	if m := rayRange.FindStringSubmatch(code); m != nil {
		least, _ = strconv.Atoi(m[1])
		t.Nodes, _ = strconv.Atoi(m[2])
	} else if m := rayWorkers.FindStringSubmatch(code); m != nil {
		t.Nodes, _ = strconv.Atoi(m[1])
		least = t.Nodes
	} else {
		return nil, fmt.Errorf("%s: no num_workers=N or num_workers=(LEAST, MOST): "+
			"expected numbers in the code itself", name)
	}
	if least < 1 || least > t.Nodes {
		return nil, fmt.Errorf("%s: num_workers is (%d, %d), expected (LEAST, MOST) from 1 on", name, least, t.Nodes)
	}
	gpus := 1
	if m := rayGPUs.FindStringSubmatch(code); m != nil {
		gpus, _ = strconv.Atoi(m[1])
	}
	gpu := ""
	if m := rayType.FindStringSubmatch(code); m != nil {
		gpu = strings.TrimPrefix(m[1], "NVIDIA_TESLA_")
	}
	t.Machines = []Machine{{Accelerator: Accelerator{GPU: gpu, Count: gpus}}}
	if least == t.Nodes {
		t.Notes = append(t.Notes, "num_workers is one number: not elastic, and ray-elastic is left out")
		return t, nil
	}
	t.Least = least
	settings := []string{fmt.Sprintf("min: %d, max: %d", least, t.Nodes)}
	if m := rayInterval.FindStringSubmatch(code); m != nil {
		settings = append(settings, "interval_s: "+m[1])
	}
	failures := "0" // FailureConfig
	if m := rayFailures.FindStringSubmatch(code); m != nil {
		failures = m[1]
	}
	row := func(name, failures string) string {
		return fmt.Sprintf("%s, settings: {%s, max_failures: %s}", name, strings.Join(settings, ", "), failures)
	}
	t.Policies = []string{"ondemand", row("ray-elastic", failures)}
	if !strings.HasPrefix(failures, "-") {
		t.Policies = append(t.Policies, row("ray-elastic-any, policy: ray-elastic", "-1"))
		t.Notes = append(t.Notes, fmt.Sprintf("max_failures is %s (0 by default): "+
			"the run ends at the next loss after so many; ray-elastic-any is the same without a limit", failures))
	}
	t.Policies = append(t.Policies, "karpenter", "mdp")
	t.Notes = append(t.Notes, "ray-elastic: as of 68262cc7; an instance is a worker; "+
		"the autoscaler asks all spot pools for what is missing; a lost node is seen after 15 s (detect_s)")
	return t, nil
}
