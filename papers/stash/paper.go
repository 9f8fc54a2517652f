package stash

import (
	"embed"

	"github.com/marigram/marigram/papers"
)

//go:embed *.csv *.yaml
var files embed.FS

func init() {
	papers.Register(papers.Paper{
		Name: "stash", Files: files,
		References: []papers.Reference{
			{
				Key: "sharma2023stash", Title: "Stash: A Comprehensive Stall-Centric Characterization of Public Cloud VMs for Distributed Deep Learning",
				Authors: []string{"Aakash Sharma", "Vivek M. Bhasi", "Sonali Singh", "Rishabh Jain", "Jashwant Raj Gunasekaran", "Subrata Mitra",
					"Mahmut Taylan Kandemir", "George Kesidis", "Chita R. Das"},
				Venue: "ICDCS 2023", Book: "IEEE International Conference on Distributed Computing Systems", Year: 2023,
				ArXiv: "2208.14344",
			},
		},
		Procedures: map[string]papers.Procedure{
			"stash-stalls": stallsOf,
			"stash-shapes": shapes,
		},
	})
}
