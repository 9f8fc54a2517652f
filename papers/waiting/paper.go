package waiting

import (
	"embed"

	"github.com/marigram/marigram/papers"
)

//go:embed *.csv *.yaml
var files embed.FS

func init() {
	papers.Register(papers.Paper{
		Name: "waiting", Files: files,
		References: []papers.Reference{
			{
				Key: "ambati2020waiting", Title: "Waiting Game: Optimally Provisioning Fixed Resources for Cloud-Enabled Schedulers",
				Authors: []string{"Pradeep Ambati", "Noman Bashir", "David Irwin", "Prashant Shenoy"},
				Venue:   "SC 2020", Book: "International Conference for High Performance Computing, Networking, Storage and Analysis", Year: 2020,
				DOI: "10.1109/SC41405.2020.00071",
			},
		},
		Procedures: map[string]papers.Procedure{
			"waiting-closed-forms": closedForms,
			"waiting-simulated":    simulated,
		},
	})
}
