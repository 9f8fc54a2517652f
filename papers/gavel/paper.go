package gavel

import (
	"embed"

	"github.com/marigram/marigram/papers"
)

//go:embed *.csv *.yaml
var files embed.FS

func init() {
	papers.Register(papers.Paper{
		Name: "gavel", Files: files,
		References: []papers.Reference{
			{
				Key: "narayanan2020heterogeneity", Title: "Heterogeneity-Aware Cluster Scheduling Policies for Deep Learning Workloads",
				Authors: []string{"Deepak Narayanan", "Keshav Santhanam", "Fiodar Kazhamiaka", "Amar Phanishayee", "Matei Zaharia"},
				Venue:   "OSDI 2020", Book: "USENIX Symposium on Operating Systems Design and Implementation", Year: 2020,
				ArXiv: "2008.09213",
				Code:  "stanford-futuredata/gavel@bc66833",
			},
		},
		Procedures: map[string]papers.Procedure{
			"gavel-continuous": continuous,
			"gavel-makespan":   makespan,
			"gavel-priorities": priorities,
			"gavel-world":      world,
		},
	})
}
