package catalogue_test

import (
	"fmt"

	"github.com/marigram/marigram/traces/catalogue"
)

// A public data set: what it is, and where it comes from.
func ExampleEntryNamed() {
	e, err := catalogue.EntryNamed("bamboo-aws-p3")
	fmt.Println(e.Cloud, e.Repo, err)
	// Output:
	// aws uclasystem/bamboo <nil>
}
