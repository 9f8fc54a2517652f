package fit

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Measurement is one measured run of training: a row of a profile of runs. A
// cell that may be empty is then "", 0 or NaN.
type Measurement struct {
	Model            string  `col:"model" empty:"not used" doc:"network that was trained"`
	InstanceType     string  `col:"instance_type" empty:"unknown" doc:"name in the cloud"`
	Instances        int     `col:"instances" empty:"unknown" doc:"instances that trained together"`
	GPU              string  `col:"gpu" doc:"type of the GPUs"`
	GPUs             int     `col:"gpus" empty:"not measured" doc:"GPUs that trained together, of all instances"`
	ParameterServers int     `col:"parameter_servers" empty:"none, or unknown" doc:"parameter servers"`
	Batch            int     `col:"batch_per_gpu" unit:"samples" empty:"not measured" doc:"mini-batch of one GPU"`
	StepS            float64 `col:"step_time_s" above:"0" unit:"s" empty:"not measured" doc:"mean time of a step of one GPU: computation and exchange of gradients"`
	SyncS            float64 `col:"sync_time_s" unit:"s" empty:"not measured" doc:"part of the step that waits for the exchange of gradients"`
	Layers           int     `col:"layers" empty:"unknown" doc:"layers of the network"`
	GradientMB       float64 `col:"gradient_mb" unit:"MB" empty:"unknown" doc:"gradients exchanged in a step"`
	MemoryMB         float64 `col:"memory_mb" unit:"MB" empty:"not measured" doc:"peak GPU memory"`
	GPUMemoryGB      float64 `col:"gpu_memory_gb" above:"0" unit:"GB" empty:"unknown" doc:"memory of one GPU"`
	GFLOPs           float64 `col:"gflops" above:"0" unit:"GFLOP" empty:"unknown" doc:"work of the network on one sample, as its authors count it"`
	AloneStepsPerS   float64 `col:"alone_steps_per_s" above:"0" unit:"steps/s" empty:"not measured" doc:"sum of the speeds of the workers, each alone"`
	NearStepS        float64 `col:"near_step_time_s" above:"0" unit:"s" empty:"not measured" doc:"the same step next to its parameter server"`
	LatencyMs        float64 `col:"latency_ms" unit:"ms" empty:"not measured" doc:"round trip to the parameter server beyond that of near_step_time_s"`
	BandwidthMBps    float64 `col:"bandwidth_mb_per_s" above:"0" unit:"MB/s" empty:"not measured" doc:"bandwidth of each instance to the parameter server"`
	WorkerMBps       float64 `col:"worker_mb_per_s" above:"0" unit:"MB/s" empty:"unknown" doc:"bandwidth that an instance has alone"`
	ServerMBps       float64 `col:"server_mb_per_s" above:"0" unit:"MB/s" empty:"unknown" doc:"bandwidth of the parameter server"`
	WorkerBatch      float64 `col:"worker_batch" above:"0" unit:"samples" empty:"not measured" doc:"mini-batch of an instance; the mean weighted by rates if they differ"`
	Convergence      float64 `col:"convergence" empty:"not measured" doc:"spotDNN's convergence coefficient R of the cluster"`
	Loss             float64 `col:"loss" above:"0" empty:"not measured" doc:"training loss that was reached"`
	Iterations       float64 `col:"iterations" above:"0" empty:"not measured" doc:"normalised iterations from the start of training to the loss"`
	CheckpointMB     float64 `col:"checkpoint_mb" above:"0" unit:"MB" empty:"unknown" doc:"size of a checkpoint"`
	CheckpointS      float64 `col:"checkpoint_s" unit:"s" empty:"not measured" doc:"time to make and store it"`
	LostSteps        float64 `col:"lost_steps" unit:"steps" empty:"not measured" doc:"steps since the checkpoint to which training rolled back"`
	RollbackS        float64 `col:"rollback_s" unit:"s" empty:"not measured" doc:"additional time of the run caused by the roll back"`
	StartupS         float64 `col:"startup_s" above:"0" unit:"s" empty:"not measured" doc:"time from the request for an instance until it trains"`
	Region           string  `col:"region" empty:"unknown" doc:"region of the cloud"`
	Market           string  `col:"market" empty:"unknown" doc:"on-demand or spot"`
	Device           string  `col:"device_version" empty:"unknown" doc:"board, driver and firmware"`
	Software         string  `col:"software_version" empty:"unknown" doc:"framework and libraries"`
	Date             string  `col:"date" empty:"unknown" doc:"day of the measurement, such as 2024-03-31"`
	Source           string  `col:"source" doc:"who measured it, or where it is published"`

	Line int // of the file
}

// Column describes a column of a profile of runs.
type Column struct {
	Name, Unit, Doc string
	Empty           string // what an empty cell means; "" if it may not be empty
	positive        bool   // a number above 0, else at least 0
	at              int    // field of Measurement
}

// MeasuredColumns returns the layout of a profile of runs. Columns whose cells
// may be empty may be left out; no others are allowed.
func MeasuredColumns() []Column { return slices.Clone(measuredColumns()) }

// measuredColumns reads the tags once: families look columns up at every start.
var measuredColumns = sync.OnceValue(func() []Column {
	var out []Column
	for i, f := range reflect.VisibleFields(reflect.TypeFor[Measurement]()) {
		if name, ok := f.Tag.Lookup("col"); ok {
			out = append(out, Column{
				name, f.Tag.Get("unit"), f.Tag.Get("doc"), f.Tag.Get("empty"), f.Tag.Get("above") != "", i,
			})
		}
	}
	return out
})

func column(name string) (Column, bool) {
	all := measuredColumns()
	i := slices.IndexFunc(all, func(c Column) bool { return c.Name == name })
	if i < 0 {
		return Column{}, false
	}
	return all[i], true
}

// columnNamed returns a column; the error lists all.
func columnNamed(name string) (Column, error) {
	c, known := column(name)
	if !known {
		return c, fmt.Errorf("no column %q; there are %s", name, columnNames(MeasuredColumns()))
	}
	return c, nil
}

// numeric reports whether the column holds numbers.
func (c Column) numeric() bool {
	_, text := (&Measurement{}).cell(c).(string)
	return !text
}

// cell returns what a row has in a column: a string, an int or a float64.
func (m *Measurement) cell(c Column) any { return reflect.ValueOf(m).Elem().Field(c.at).Interface() }

// text returns a cell as the file would have it, "" if it is empty.
func (m *Measurement) text(c Column) string {
	if v := m.cell(c); v != 0 && !isNaN(v) {
		return fmt.Sprint(v)
	}
	return ""
}

// is reports whether a cell has a value: of a number, however it is written.
func (m *Measurement) is(c Column, value string) bool {
	x, err := strconv.ParseFloat(value, 64)
	if _, text := m.cell(c).(string); text || err != nil || !m.has(c) {
		return m.text(c) == value
	}
	return m.number(c) == x
}

// number returns a numeric cell.
func (m *Measurement) number(c Column) float64 {
	switch x := m.cell(c).(type) {
	case int:
		return float64(x)
	case float64:
		return x
	}
	panic("fit: column " + c.Name + " has no numbers")
}

// has reports whether a cell is not empty.
func (m *Measurement) has(c Column) bool {
	switch x := m.cell(c).(type) {
	case int:
		return x != 0
	case float64:
		return !math.IsNaN(x)
	}
	return m.text(c) != ""
}

func isNaN(v any) bool {
	x, ok := v.(float64)
	return ok && math.IsNaN(x)
}

func columnNames(columns []Column) string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	return strings.Join(names, ", ")
}
