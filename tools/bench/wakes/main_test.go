package main

import (
	"testing"

	"github.com/marigram/marigram/experiments/results"
)

// Two pools in five intervals: the job saves in the second, and in the fourth and fifth.
func TestSavesOf(t *testing.T) {
	var spans []results.Span
	for _, activity := range []string{"useful", "checkpointing", "useful", "checkpointing", "checkpointing"} {
		spans = append(spans, results.Span{Pool: "a", Activity: activity}, results.Span{Pool: "b", Activity: activity})
	}
	if n := savesOf(spans); n != 2 {
		t.Errorf("%d saves, expected 2", n)
	}
}
