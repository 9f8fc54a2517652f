package dynamicpricing

import "github.com/marigram/marigram/papers"

func init() {
	papers.Register(papers.Paper{
		Name: "dynamic-pricing", Files: files,
		References: []papers.Reference{
			{
				Key: "narayanan2020dynamic", Title: "Analysis and Exploitation of Dynamic Pricing in the Public Cloud for ML Training",
				Authors: []string{"Deepak Narayanan", "Keshav Santhanam", "Fiodar Kazhamiaka", "Amar Phanishayee", "Matei Zaharia"},
				Venue:   "DISPA 2020", Book: "VLDB Workshop on Distributed Infrastructure, Systems, Programming and AI", Year: 2020,
				Code: "stanford-futuredata/training_on_a_dime@85f6595",
			},
		},
		Procedures: map[string]papers.Procedure{
			"dynamic-pricing-costs":     costs,
			"dynamic-pricing-ratios":    ratios,
			"dynamic-pricing-durations": durations,
			"dynamic-pricing-runs":      runs,
			"dynamic-pricing-regions":   otherRegions,
			"dynamic-pricing-world":     inTheWorld,
		},
	})
}
