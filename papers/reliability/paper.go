// Package reliability compares closed forms with the published rates of failures of large clusters.
package reliability

import (
	"embed"

	"github.com/marigram/marigram/papers"
)

//go:embed *.csv *.yaml
var files embed.FS

func init() {
	papers.Register(papers.Paper{
		Name: "reliability", Files: files,
		References: []papers.Reference{
			{
				Key: "dubey2024llama", Title: "The Llama 3 Herd of Models", Authors: []string{"Abhimanyu Dubey", "others"},
				Venue: "arXiv 2024", Book: "arXiv preprint", Year: 2024, ArXiv: "2407.21783",
			},
			{
				Key: "kokolis2024revisiting", Title: "Revisiting Reliability in Large-Scale Machine Learning Research Clusters",
				Authors: []string{"Apostolos Kokolis", "others"},
				Venue:   "arXiv 2024", Book: "arXiv preprint", Year: 2024, ArXiv: "2410.21680",
			},
			{
				Key: "wan2025byterobust", Title: "Robust LLM Training Infrastructure at ByteDance", Authors: []string{"Borui Wan", "others"},
				Venue: "arXiv 2025", Book: "arXiv preprint", Year: 2025, ArXiv: "2509.16293",
			},
			{
				Key: "shou2025infinitehbd", Title: "InfiniteHBD: Building Datacenter-Scale High-Bandwidth Domain for LLM with Optical Circuit Switching Transceivers",
				Authors: []string{"Chenchen Shou", "others"},
				Venue:   "SIGCOMM 2025", Book: "ACM SIGCOMM Conference", Year: 2025, Code: "stepfun-ai/InfiniteHBD-Trace@7aacdc8",
			},
		},
		Procedures: map[string]papers.Procedure{"reliability-rates": rates},
	})
}
