// Package results is what a study leaves behind: eight Parquet tables in one
// folder, read by the plots, by the report and by any other program.
//
//	summary.parquet    one row per run: cost, finish, where the instance-hours went
//	spans.parquet      what each pool held and what the job did, over time
//	decisions.parquet  what the policy saw, what it asked for, and why
//	candidates.parquet the alternatives that it considered, with scores
//	instances.parquet  every instance: granted, ready, noticed, ended
//	jobs.parquet       every job: the one of a run, or the many that share a cluster
//	tasks.parquet      every task of such jobs on an instance that they share
//	outages.parquet    every time in which a machine was down
//
// The structs Summary, Span, Decision, Candidate, Instance, Job, Task and Outage are the schema: each field is a
// column with its name, unit and meaning; SCHEMA.md is printed from them. All
// eight files carry the same Provenance in their key-value metadata.
//
//	err := results.WriteAll(dir, results.Set{Provenance: p, Summaries: rows})
//	set, err := results.ReadAll(dir)
//
// A study whose rows do not fit into memory uses a Writer; a sweep writes its rows
// (SweepRow: a Summary and where it stands) as parts.
//
// To add a column to the runs: a field of Summary (summary.go), with the schema version
// that adds it in the tag added; its value where package experiments fills the row
// (summary.go there); that SchemaVersion, if it is not the present one (provenance.go);
// and SCHEMA.md printed anew. Older files have zero, or null, there. A column that gets
// a better name keeps the former one in a tag (internal/fields).
package results
