package catalogue

import (
	"cmp"
	_ "embed"
	"slices"

	"github.com/marigram/marigram/internal/registry"
)

// Catalogue lists the public data sets by name.
func Catalogue() []Entry {
	list := slices.Clone(sets())
	for i := range list {
		list[i].Files = slices.Clone(checksums()[list[i].Name])
	}
	slices.SortFunc(list, func(a, b Entry) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// EntryNamed returns the data set with a name; the error names the nearest, or all.
func EntryNamed(name string) (*Entry, error) {
	var names []string
	for _, e := range Catalogue() {
		if e.Name == name {
			return &e, nil
		}
		names = append(names, e.Name)
	}
	return nil, registry.Unknown("data set", name, names)
}
