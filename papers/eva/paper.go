package eva

import "github.com/marigram/marigram/papers"

func init() {
	papers.Register(papers.Paper{
		Name: "eva", Files: files,
		References: []papers.Reference{
			{
				Key: "chang2025eva", Title: "Eva: Cost-Efficient Cloud-Based Cluster Scheduling",
				Authors: []string{"Tzu-Tao Chang", "Shivaram Venkataraman"},
				Venue:   "EuroSys 2025", Book: "European Conference on Computer Systems", Year: 2025,
				ArXiv: "2503.07437",
				Code:  "uw-mad-dash/Eva@0d735ce",
			},
		},
		Procedures: map[string]papers.Procedure{
			"eva-runs":      evaRuns,
			"eva-published": evaPublished,
			"eva-world":     evaInWorld,
		},
	})
}
