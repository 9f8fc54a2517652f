package catalogue

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/marigram/marigram/traces"
)

// setText describes the public data sets, in the form of a list of described; their files are in catalogue.sums.
//
//go:embed catalogue.json
var setText []byte

// described is an entry as catalogue.json has it.
type described struct {
	Entry
	Format  string
	Options traces.Options
	Folder  string
	Moved   []moved
	Prices  string
}

// sets returns the entries in the order of catalogue.json, without their files.
var sets = sync.OnceValue(func() (list []Entry) {
	var all []described
	decoder := json.NewDecoder(bytes.NewReader(setText))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&all); err != nil {
		panic(fmt.Sprintf("traces: catalogue.json: %v", err))
	}
	for i := range all {
		set := &all[i]
		entry := set.Entry
		entry.format = set.Format
		entry.options = set.Options
		entry.folder = set.Folder
		entry.moved = set.Moved
		entry.prices = set.Prices
		list = append(list, entry)
	}
	return list
})
