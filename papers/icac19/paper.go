package icac19

import "github.com/marigram/marigram/papers"

func init() {
	papers.Register(papers.Paper{
		Name: "icac19", Files: files,
		References: []papers.Reference{
			{
				Key: "li2019speeding", Title: "Speeding up Deep Learning with Transient Servers",
				Authors: []string{"Shijian Li", "Robert J. Walls", "Lijie Xu", "Tian Guo"},
				Venue:   "ICAC 2019", Book: "IEEE International Conference on Autonomic Computing", Year: 2019,
				ArXiv: "1903.00045",
				Code:  "cake-lab/transient-deep-learning@87c6717",
			},
		},
		Procedures: map[string]papers.Procedure{
			"icac19-backtest":    icac19Backtest,
			"icac19-costs":       icac19Costs,
			"icac19-headline":    icac19Headline,
			"icac19-revocations": icac19Revocations,
			"icac19-speeds":      icac19Speeds,
			"icac19-lifetimes":   icac19Lifetimes,
		},
	})
}
