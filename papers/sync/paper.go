package synchrony

import "github.com/marigram/marigram/papers"

func init() {
	papers.Register(papers.Paper{
		Name: "sync", Files: files,
		References: []papers.Reference{
			{
				Key: "li2021syncswitch", Title: "Sync-Switch: Hybrid Parameter Synchronization for Distributed Deep Learning",
				Authors: []string{"Shijian Li", "Oren Mangoubi", "Lijie Xu", "Tian Guo"},
				Venue:   "ICDCS 2021", Book: "IEEE International Conference on Distributed Computing Systems", Year: 2021,
				ArXiv: "2104.08364",
				Code:  "cake-lab/Sync-Switch@09af086",
			},
		},
		Formulas: []string{"sync/order-statistics"},
		Procedures: map[string]papers.Procedure{
			"sync-order-statistics": orderStatistics,
			"sync-switch":           switched,
			"sync-stragglers":       stragglers,
		},
	})
}
