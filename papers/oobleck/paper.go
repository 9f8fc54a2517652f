package oobleck

import "github.com/marigram/marigram/papers"

func init() {
	papers.Register(papers.Paper{
		Name: "oobleck", Files: files,
		References: []papers.Reference{
			{
				Key: "jang2023oobleck", Title: "Oobleck: Resilient Distributed Training of Large Models Using Pipeline Templates",
				Authors: []string{"Insu Jang", "Zhenning Yang", "Zhen Zhang", "Xin Jin", "Mosharaf Chowdhury"},
				Venue:   "SOSP 2023", Book: "ACM Symposium on Operating Systems Principles", Year: 2023,
				DOI:   "10.1145/3600006.3613152",
				ArXiv: "2309.08125",
				Code:  "SymbioticLab/Oobleck@3b7a0c2 and @7966556",
			},
		},
		Procedures: map[string]papers.Procedure{
			"oobleck-fig10":    fig10,
			"oobleck-table2":   table2,
			"oobleck-fig11":    fig11,
			"oobleck-planning": planning,
		},
	})
}
