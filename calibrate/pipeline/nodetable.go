package pipeline

// NodeTable is one system training one network, measured at each number of
// nodes, in descending order. The source is the artifact of Oobleck (SOSP 2023):
// nodes of one A40, 30 to 15 of them.
type NodeTable []NodeRow

// NodeRow is one number of nodes.
type NodeRow struct {
	System  string  `col:"system"` // bamboo, varuna or oobleck
	Model   string  `col:"model"`  // the network
	Nodes   int     `col:"nodes"`
	StepMs  int     `col:"step_ms"`
	Samples float64 `col:"samples"`  // of a step
	PauseMs int     `col:"pause_ms"` // from a loss until training goes on
	SaveMs  int     `col:"save_ms"`  // a checkpoint; 0 where the system makes none
	Idle    float64 `col:"idle"`     // nodes without work
}

// bambooDepth is the depth of Bamboo's pipelines in the artifact: its step time
// changes at the multiples of 6 nodes.
const bambooDepth = 6

// Layouts returns the table as layouts. What pipelines Varuna and Oobleck form on
// n nodes the table does not say: they are m pipelines of one stage,
// so that every node counts and a replica of all is on each.
func (t NodeTable) Layouts() []LayoutSpeed {
	var layouts []LayoutSpeed
	for _, row := range t {
		depth := 1
		if row.System == "bamboo" {
			depth = bambooDepth
		}
		if row.Nodes%depth == 0 {
			layouts = append(layouts, LayoutSpeed{row.Nodes / depth, depth, row.Samples / float64(row.StepMs) * 1000})
		}
	}
	if t[0].System == "bamboo" { // measured on 15 to 17 nodes
		smallest := t[len(t)-1]
		samplesPerS := smallest.Samples / float64(smallest.StepMs) * 1000
		layouts = append(layouts, LayoutSpeed{smallest.Nodes / bambooDepth, bambooDepth, samplesPerS})
	}
	return layouts
}
