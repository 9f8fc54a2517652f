package traces

import (
	"fmt"
	"strings"
	"time"
)

// Report counts what an import read, kept and repaired.
type Report struct {
	Format             string `json:"format"`
	Files              int    `json:"files"`
	EmptyFiles         int    `json:"empty_files"`                  // price exports without a price
	FilesWithNextToken int    `json:"files_with_next_token"`        // pages that were cut
	TruncatedAccepted  int    `json:"truncated_accepted"`           // of them, read all the same
	Rows               int    `json:"rows"`                         // observations read
	Unique             int    `json:"unique"`                       // kept
	Duplicates         int    `json:"duplicates"`                   // exact repeats dropped
	Superseded         int    `json:"superseded"`                   // rows replaced by a later one (SortLastWins)
	Pools              int    `json:"pools"`                        // pools found
	Changes            int    `json:"effective_changes_incl_first"` // kept rows that changed something
	Heartbeats         int    `json:"heartbeats"`                   // kept rows that repeat the one before
	OutOfOrder         int    `json:"non_monotone"`                 // rows against the source's own order, put right
	Gaps               int    `json:"gaps"`                         // silences recorded
	Bridged            int    `json:"bridged"`                      // shorter silences: the last row holds
	First              string `json:"first"`                        // first instant
	Last               string `json:"last"`                         // last instant
	Corrupt            int    `json:"corrupt_rows,omitempty"`       // rows left out for their cells, see Notes
	LogCounts                 // of logs: lines by what they say

	LongestBridged time.Duration `json:"longest_bridged_ns,omitempty"` // of the silences in Bridged

	Skipped []string `json:"skipped,omitempty"` // files of a folder that are no trace
	Notes   []string `json:"notes,omitempty"`   // assumptions and repairs, in words
}

// AboutBridged says what became of silences that are no gaps.
func (r *Report) AboutBridged() string {
	return fmt.Sprintf("pauses of up to %v between polls, bridged: the last observation holds "+
		"(max hole sets what is a gap)", r.LongestBridged)
}

// String returns the report for people: a line a fact, zeros left out.
func (r Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d files, %d rows, %d kept, in %d pools, from %s to %s\n",
		r.Format, r.Files, r.Rows, r.Unique, r.Pools, r.First, r.Last)
	for _, l := range []struct {
		n    int
		what string
	}{
		{r.Changes, "changes, the first row of each pool included"},
		{r.Heartbeats, "heartbeats (rows that repeat the previous one), kept and flagged"},
		{r.Duplicates, "exact duplicates dropped"},
		{r.Superseded, "rows replaced by a later row of the same instant"},
		{r.OutOfOrder, "rows out of order, sorted"},
		{r.EmptyFiles, "files without a row"},
		{r.FilesWithNextToken, "files whose last page was cut (non-empty NextToken)"},
		{r.TruncatedAccepted, "cut pages accepted: older rows are missing"},
		{r.Corrupt, "rows left out for a corrupt cell"},
		{r.Lines, fmt.Sprintf("lines of logs: %d created, %d failed, %d running, %d not running, %d deleted", r.Created,
			r.Failed, r.Running, r.NotRunning, r.Deleted)},
		{r.Gaps, "gaps (no data)"},
		{r.Bridged, r.AboutBridged()},
		{len(r.Skipped), "files skipped, not traces: " + strings.Join(r.Skipped, " ")},
	} {
		if l.n > 0 {
			fmt.Fprintf(&b, "%9d %s\n", l.n, l.what)
		}
	}
	for _, note := range r.Notes {
		fmt.Fprintf(&b, "  note: %s\n", note)
	}
	return b.String()
}

// LogCounts counts the lines of a log by what they say.
type LogCounts struct {
	Lines      int `json:"lines,omitempty"`
	Created    int `json:"created,omitempty"`
	Failed     int `json:"failed,omitempty"` // creations that failed
	Running    int `json:"running,omitempty"`
	NotRunning int `json:"not_running,omitempty"`
	Deleted    int `json:"deleted,omitempty"`
}

// Report describes a set that was read from the neutral form.
func (s *Set) Report() Report {
	n := s.Counts().Events()
	return Report{
		Format: "marigram", Files: 1, Rows: n, Unique: n, Pools: len(s.Pools), Gaps: len(s.Gaps),
		First: Stamp(s.Manifest.TStartUs), Last: Stamp(s.Manifest.TEndUs),
	}
}
