package traces

import (
	"encoding/json"
	"fmt"
)

// SchemaVersion is the version of the neutral form that this package writes.
const SchemaVersion = 1

// What the clock of a trace is.
const (
	ClockUTC       = "absolute_utc"        // instants of the world
	ClockUnknownTZ = "absolute_unknown_tz" // a calendar clock whose zone the source does not state; taken as UTC
	ClockRelative  = "relative"            // counts from its own beginning, which is put at 1970-01-01T00:00:00Z
)

// What an observation of a trace means.
const (
	SemanticsPrices      = "prices"           // prices only
	SemanticsLaunchProbe = "launch_probe"     // could be launched at that moment
	SemanticsLaunches    = "launches_only"    // launches that succeeded; those that failed are not recorded
	SemanticsBinaryZone  = "binary_zone"      // a launch probe of one machine: 0 or 1
	SemanticsHeld        = "held_pool"        // machines that ran
	SemanticsAutoscaling = "autoscaling_pool" // machines that ran, replaced by a launcher whose target is not recorded
	// SemanticsLifetimes: machines that ran for as long as they could or were wanted; how
	// many there were is the experimenter's choice.
	SemanticsLifetimes = "lifetimes"
	SemanticsSynthetic = "synthetic" // made by a generator
	SemanticsJobs      = "jobs"      // jobs only
	SemanticsUnknown   = "unknown"   // not stated at import
)

// Manifest says where a trace came from and how to read it. It is repeated as
// JSON in the key-value metadata of every file of the trace.
type Manifest struct {
	SchemaVersion int            `json:"schema_version" doc:"version of this form"`
	TraceID       string         `json:"trace_id" doc:"name of the trace; by default importer and hash of the sources"`
	Source        Source         `json:"source" doc:"origin of the data"`
	Importer      ImporterRecord `json:"importer" doc:"importer: name, version, options"`
	ClockKind     string         `json:"clock_kind" doc:"absolute_utc, absolute_unknown_tz or relative"`
	TStartUs      int64          `json:"t_start_us" doc:"first instant of the observation, us UTC"`
	TEndUs        int64          `json:"t_end_us" doc:"end of the observation, us UTC: the last rows hold until then"`
	SamplingUs    int64          `json:"sampling_us" doc:"usual time between two observations, us; 0: recorded on change"`
	Semantics     string         `json:"semantics" doc:"what an observation means: prices, launch_probe, launches_only, binary_zone, held_pool, autoscaling_pool, lifetimes, synthetic, jobs or unknown"`
	Cap           int            `json:"cap" doc:"machines requested; 0: not recorded, or differs by pool"`
	Polarity      string         `json:"polarity_in_source" doc:"1=available or 1=preempted; empty where the source has no such number"`
	PIIDropped    []string       `json:"pii_dropped" doc:"fields of the source left out because they name people or accounts"`
	Rows          RowCounts      `json:"rows" doc:"rows of each table"`
	Notes         []string       `json:"notes" doc:"repairs, assumptions and doubts, as text"`
}

// Aligned reports whether instants of different pools can be compared: files on
// a relative clock do not say when they begin.
func (m *Manifest) Aligned() bool {
	return m.ClockKind != ClockRelative || len(m.Source.Files) < 2 || len(m.Importer.Options.Offsets) > 0
}

// Source says where the files of a trace came from.
type Source struct {
	Repo    string       `json:"repo"`
	Commit  string       `json:"commit"`
	Licence string       `json:"licence"`
	Files   []SourceFile `json:"files"`
}

// SourceFile is one file that was read. Path is relative to the folder that all
// the files share.
type SourceFile struct {
	Path   string `json:"path"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// ImporterRecord says what read the sources.
type ImporterRecord struct {
	Name    string  `json:"name"`
	Version int     `json:"version"`
	Options Options `json:"options"`
}

// RowCounts counts the rows of each table.
type RowCounts struct {
	Pools          int `json:"pools"`
	Prices         int `json:"prices"`
	Capacity       int `json:"capacity"`
	Probes         int `json:"probes"`
	InstanceEvents int `json:"instance_events"`
	Jobs           int `json:"jobs"`
	Gaps           int `json:"gaps"`
}

// Events counts the rows that say something of an instant.
func (n RowCounts) Events() int {
	return n.Prices + n.Capacity + n.Probes + n.InstanceEvents + n.Jobs
}

// manifestKey is the manifest's name in the metadata of a Parquet file.
const manifestKey = "marigram.manifest"

func (m *Manifest) encode() (string, error) {
	text, err := json.Marshal(m)
	return string(text), err
}

func decodeManifest(text string) (Manifest, error) {
	var m Manifest
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		return m, fmt.Errorf("manifest: %w", err)
	}
	if m.SchemaVersion != SchemaVersion {
		return m, fmt.Errorf("manifest: schema_version %d, expected %d", m.SchemaVersion, SchemaVersion)
	}
	return m, nil
}
