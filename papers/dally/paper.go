package dally

import "github.com/marigram/marigram/papers"

func init() {
	papers.Register(papers.Paper{
		Name: "dally", Files: files,
		References: []papers.Reference{
			{
				Key: "sharma2024dally", Title: "GPU Cluster Scheduling for Network-Sensitive Deep Learning",
				Authors: []string{"Aakash Sharma", "Vivek M. Bhasi", "Sonali Singh", "George Kesidis", "Mahmut T. Kandemir", "Chita R. Das"},
				Venue:   "arXiv 2024", Book: "arXiv preprint", Year: 2024,
				ArXiv: "2401.16492",
				Code:  "aakash-sharma/cluster-sim@4cd660e",
			},
		},
		Procedures: map[string]papers.Procedure{
			"dally-variants":  variants,
			"dally-published": dallyPublished,
		},
	})
}
