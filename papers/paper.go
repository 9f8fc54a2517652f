package papers

import (
	"io/fs"
	"path"

	"github.com/marigram/marigram/internal/registry"
)

// Paper is one published system, or one subject of several publications.
type Paper struct {
	Name string // the first part of its claims' names, and its folder
	// Files are those of the folder: published.csv, sensitivity.csv, and the specs of figures.
	Files fs.FS
	// References are its publications. One with nothing but a Key is of another paper.
	References []Reference
	// Formulas are figures that compare closed forms or constructed cases, without a publication.
	Formulas []string
	// Procedures are by the name with which specs ask for them.
	Procedures map[string]Procedure
}

// registered are the papers, by name.
var registered = registry.New[Paper]("paper")

// Register makes a paper known. It panics on a second one of a name. Package papers/all
// registers those of this module.
func Register(p Paper) { registered.Add(p.Name, p) }

// All returns the registered papers in the order of their names.
func All() []Paper { return registered.All() }

// paperOf returns the paper that a figure is of.
func paperOf(figure string) (*Paper, bool) {
	p, known := registered.Get(path.Dir(figure))
	return &p, known
}

// Reference is a publication with which claims are compared.
type Reference struct {
	Key     string   `json:"key"` // of BibTeX
	Authors []string `json:"authors"`
	Title   string   `json:"title"`
	Venue   string   `json:"venue"`            // short, as in a text
	Book    string   `json:"book"`             // the conference or journal in full
	Volume  string   `json:"volume,omitempty"` // of a journal; empty: proceedings
	Year    int      `json:"year"`
	DOI     string   `json:"doi,omitempty"`   // empty where none is known
	ArXiv   string   `json:"arxiv,omitempty"` // likewise
	Code    string   `json:"code,omitempty"`  // public code that inputs or numbers come from: repository and commit
}

// Procedure computes the numbers of a figure from the inputs of its spec and
// reports one for each claim. An error means that none can be had.
type Procedure func(f *Figure) error
