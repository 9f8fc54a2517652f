package defection

import "github.com/marigram/marigram/papers"

func init() {
	papers.Register(papers.Paper{
		Name: "defection", Files: files,
		References: []papers.Reference{
			{
				Key: "mehboob2023sharing", Title: "Is Sharing Caring? Analyzing the Incentives for Shared Cloud Clusters",
				Authors: []string{"Talha Mehboob", "Noman Bashir", "Michael Zink", "David Irwin"},
				Venue:   "ICPE 2023", Book: "ACM/SPEC International Conference on Performance Engineering", Year: 2023,
				DOI: "10.1145/3578244.3583730",
			},
		},
		Procedures: map[string]papers.Procedure{
			"defection-rounds":    rounds,
			"defection-leaving":   leaving,
			"defection-simulated": simulatedWaits,
		},
	})
}
