package pools

import (
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

// windowFormat reads a window of the ADRS problems "Can't Be Late": counts-json in the polarity of their simulator
// (sky_spot/trace.py of UCB-ADRS/ADRS-Leaderboard f856497: has_spot is that the value is 0).
var windowFormat = formats.Format{
	Name: "adrs-trace",
	What: "JSON windows of launch probes of the ADRS problems \"Can't Be Late\" (ADRS-Leaderboard, LEVI), " +
		"one pool a file: 0 means that spot was available; windows without a generator look like counts-json, " +
		"so name the format; prices, where there are, one a probe",
	Example: `{"generator": "random_start_time", "original_trace": "us-west-2a_k80_8.json",` +
		` "metadata": {"gap_seconds": 600}, "data": [0, 0, 1, 0]}`,
	Version:   1,
	Clock:     traces.ClockRelative,
	Semantics: traces.SemanticsBinaryZone,
	Recognise: func(s *read.Source) bool { return s.TopKey("original_trace") },
	New: func(b *formats.Builder) formats.Importer {
		return &even{counter{Builder: b}, traces.OneIsPreempted}
	},
}
