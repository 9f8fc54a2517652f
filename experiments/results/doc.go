// Package results is what a study leaves behind: five Parquet tables in one
// folder, read by the plots, by the report and by any other program.
//
//	summary.parquet    one row a run: cost, finish, where the instance-hours went
//	spans.parquet      what each pool and the job did, stretch by stretch
//	decisions.parquet  what the policy saw, wanted and why
//	candidates.parquet what it weighed up, with scores
//	instances.parquet  the life of every instance
//
// The structs Summary, Span, Decision, Candidate and Instance are the schema: each field is a
// column with its name, unit and meaning; SCHEMA.md is printed from them. All
// five files carry the same Provenance in their key-value metadata.
//
//	err := results.WriteAll(dir, results.Set{Provenance: p, Summaries: rows})
//	set, err := results.ReadAll(dir)
//
// A study whose rows do not fit into memory uses a Writer; a sweep writes its rows
// (SweepRow: a Summary and where it stands) as parts.
package results
