package torchft

import (
	"embed"

	"github.com/marigram/marigram/papers"
)

//go:embed *.csv *.yaml
var files embed.FS

func init() {
	papers.Register(papers.Paper{
		Name: "torchft", Files: files,
		References: []papers.Reference{
			{
				Key: "jaghouar2024intellect", Title: "INTELLECT-1 Technical Report",
				Authors: []string{"Sami Jaghouar", "Jack Min Ong", "Manveer Basra", "Fares Obeid", "Jannik Straube", "Michael Keiblinger", "Elie Bakouch",
					"Lucas Atkins", "Maziyar Panahi", "Charles Goddard", "Max Ryabinin", "Johannes Hagemann"},
				Venue: "arXiv 2024", Book: "arXiv preprint", Year: 2024, ArXiv: "2412.01152",
			},
			{
				Key: "torchft2025", Title: "Fault Tolerant Llama: training with 2000 synthetic failures every 15 seconds and no checkpoints on Crusoe L40S",
				Authors: []string{"Tristan Rice", "Howard Huang"},
				Venue:   "PyTorch blog 2025", Book: "PyTorch blog", Year: 2025, Code: "meta-pytorch/torchft@7eb7087",
			},
		},
		Procedures: map[string]papers.Procedure{
			"torchft-failures":  failures,
			"torchft-outer":     outer,
			"torchft-clockwork": clockwork,
		},
	})
}
