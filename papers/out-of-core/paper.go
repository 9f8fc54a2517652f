package outofcore

import "github.com/marigram/marigram/papers"

func init() {
	papers.Register(papers.Paper{
		Name: "out-of-core", Files: files,
		References: []papers.Reference{
			{
				Key: "mohoney2021marius", Title: "Marius: Learning Massive Graph Embeddings on a Single Machine",
				Authors: []string{"Jason Mohoney", "Roger Waleffe", "Henry Xu", "Theodoros Rekatsinas", "Shivaram Venkataraman"},
				Venue:   "OSDI 2021", Book: "USENIX Symposium on Operating Systems Design and Implementation", Year: 2021,
				ArXiv: "2101.08358",
				Code:  "marius-team/marius",
			},
		},
		Procedures: map[string]papers.Procedure{
			"out-of-core-published": published,
			"out-of-core-formulas":  closedForms,
		},
	})
}
