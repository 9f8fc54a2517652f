// Package airesim compares with AIReSim (2026), a public simulator of one training job on servers that fail.
package airesim

import (
	"embed"

	"github.com/marigram/marigram/papers"
)

//go:embed *.csv *.yaml
var files embed.FS

func init() {
	papers.Register(papers.Paper{
		Name: "airesim", Files: files,
		References: []papers.Reference{
			{
				Key: "pattabiraman2026airesim", Title: "AIReSim: A Discrete Event Simulator for Large-scale AI Cluster Reliability Modeling",
				Authors: []string{"Karthik Pattabiraman", "Mihir Patel", "Fred Lin"},
				Venue:   "arXiv 2026", Book: "arXiv preprint", Year: 2026, ArXiv: "2603.07041",
				Code: "karthikp-ubc/airesim@7b139c7",
			},
		},
		Procedures: map[string]papers.Procedure{
			"airesim-report":   report,
			"airesim-policies": choices,
		},
	})
}
