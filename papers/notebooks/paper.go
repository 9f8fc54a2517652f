package notebooks

import "github.com/marigram/marigram/papers"

func init() {
	papers.Register(papers.Paper{
		Name: "notebooks", Files: files,
		References: []papers.Reference{
			{
				Key: "carver2026notebookos", Title: "NotebookOS: A Replicated Notebook Platform for Interactive Training with On-Demand GPUs",
				Authors: []string{"Benjamin Carver", "Jingyuan Zhang", "Haoliang Wang", "Kanak Mahadik", "Yue Cheng"},
				Venue:   "ASPLOS 2026", Book: "ACM International Conference on Architectural Support for Programming Languages and Operating Systems", Year: 2026,
				ArXiv: "2503.20591",
			},
		},
		Procedures: map[string]papers.Procedure{
			"notebooks-pool":     pool,
			"notebooks-template": template,
		},
	})
}
