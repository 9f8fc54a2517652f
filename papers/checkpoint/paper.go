package checkpoint

import "github.com/marigram/marigram/papers"

func init() {
	papers.Register(papers.Paper{
		Name: "checkpoint", Files: files,
		References: []papers.Reference{
			{
				Key: "daly2006higher", Title: "A higher order estimate of the optimum checkpoint interval for restart dumps",
				Authors: []string{"John T. Daly"},
				Venue:   "FGCS 2006", Book: "Future Generation Computer Systems", Year: 2006,
				Volume: "22(3)",
				DOI:    "10.1016/j.future.2004.11.016",
			},
			{
				Key: "young1974first", Title: "A first order approximation to the optimum checkpoint interval",
				Authors: []string{"John W. Young"},
				Venue:   "CACM 1974", Book: "Communications of the ACM", Year: 1974,
				Volume: "17(9)",
				DOI:    "10.1145/361147.361115",
			},
		},
		Procedures: map[string]papers.Procedure{
			"checkpoint-intervals": intervals,
			"checkpoint-wall":      wallTime,
		},
	})
}
