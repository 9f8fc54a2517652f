// Package policyutil is what policies of one job or a few share: ask how the job would do on other instances
// (Answerer.Ask), how long boots take (ReadyAfter), what the quotas leave (Headroom), saves (KeepSaved, Saved),
// requests of spot instances (RequestSpot, Overdue), layouts of pipelines (Reconfigure), and what explains a decision
// to a recorder.
//
// Python (marigram.py) has the first of these by the same names: docs/write-a-policy.md has the table.
package policyutil
