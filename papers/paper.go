package papers

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
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
var registered []Paper

// Register makes a paper known. It panics on a second one of a name. Package papers/all
// registers those of this module.
func Register(p Paper) {
	i, twice := slices.BinarySearchFunc(registered, p.Name, func(p Paper, name string) int { return strings.Compare(p.Name, name) })
	if twice {
		panic(fmt.Sprintf("papers: two papers %q", p.Name))
	}
	registered = slices.Insert(registered, i, p)
}

// All returns the registered papers in the order of their names.
func All() []Paper { return slices.Clone(registered) }

// paperOf returns the paper that a figure is of.
func paperOf(figure string) (*Paper, bool) {
	i := slices.IndexFunc(registered, func(p Paper) bool { return p.Name == path.Dir(figure) })
	if i < 0 {
		return nil, false
	}
	return &registered[i], true
}
