package deadline

import "github.com/marigram/marigram/papers"

func init() {
	papers.Register(papers.Paper{
		Name: "deadline", Files: files,
		References: []papers.Reference{
			{
				Key: "wu2024late", Title: "Can't Be Late: Optimizing Spot Instance Savings under Deadlines",
				Authors: []string{"Zhanghao Wu", "Wei-Lin Chiang", "Ziming Mao", "Zongheng Yang", "Eric Friedman", "Scott Shenker", "Ion Stoica"},
				Venue:   "NSDI 2024", Book: "USENIX Symposium on Networked Systems Design and Implementation", Year: 2024,
			},
		},
		Procedures: map[string]papers.Procedure{
			"deadline-rows":    rows,
			"deadline-optimum": optimum,
		},
	})
}
