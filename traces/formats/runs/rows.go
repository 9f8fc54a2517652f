package runs

import (
	"github.com/marigram/marigram/traces/formats/read"
)

// rows reads records from a table with commas, or from JSON: objects one after the other or
// in an array.
func (in *input) rows(needs []string, each func(*record) error) error {
	if isJSON(in.Beginning()) {
		return in.objects(nil, nil, each)
	}
	return in.table(",", needs, each)
}

// rowsHave reports whether a file that rows reads has all of the fields.
func rowsHave(s *read.Source, names ...string) bool {
	if !isJSON(s) {
		return hasColumns(s, ",", names...)
	}
	r := firstObject(s)
	for _, name := range names {
		if r == nil {
			return false
		}
		if _, ok := r.cells[name]; !ok {
			return false
		}
	}
	return true
}
