package starburst

import "github.com/marigram/marigram/papers"

func init() {
	papers.Register(papers.Paper{
		Name: "starburst", Files: files,
		References: []papers.Reference{
			{
				Key: "luo2024starburst", Title: "Starburst: A Cost-aware Scheduler for Hybrid Cloud",
				Authors: []string{"Michael Luo", "Siyuan Zhuang", "Suryaprakash Vengadesan", "Romil Bhardwaj", "Justin Chang", "Eric Friedman", "Scott Shenker",
					"Ion Stoica"},
				Venue: "ATC 2024", Book: "USENIX Annual Technical Conference", Year: 2024,
				Code: "michaelzhiluo/starburst@39a380a",
			},
		},
		Procedures: map[string]papers.Procedure{
			"starburst-runs":      bursts,
			"starburst-published": starburstPublished,
			"starburst-philly":    starburstPhilly,
		},
	})
}
