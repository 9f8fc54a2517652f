package sailor

import (
	"embed"

	"github.com/marigram/marigram/papers"
)

//go:embed *.csv *.yaml
var files embed.FS

func init() {
	papers.Register(papers.Paper{
		Name: "sailor", Files: files,
		References: []papers.Reference{
			{
				Key: "strati2025sailor", Title: "Sailor: Automating Distributed Training over Dynamic, Heterogeneous, and Geo-distributed Clusters",
				Authors: []string{"Foteini Strati", "Zhendong Zhang", "George Manos", "Ixeia Sánchez Périz", "Qinghao Hu", "Tiancheng Chen", "Berk Buzcu",
					"Song Han", "Pamela Delgado", "Ana Klimovic"},
				Venue: "SOSP 2025", Book: "ACM Symposium on Operating Systems Principles", Year: 2025,
				ArXiv: "2504.17096",
				Code:  "eth-easl/sailor@cf2c8e3",
			},
		},
		Procedures: map[string]papers.Procedure{
			"sailor-simulator": simulator,
			"sailor-planner":   planner,
			"sailor-errors":    errorsOfSimulator,
			"sailor-heldout":   heldOut,
		},
	})
}
