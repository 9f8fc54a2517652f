package fit_test

import (
	"fmt"

	"github.com/marigram/marigram/calibrate/fit"
)

// Measured runs that were published, by name.
func ExamplePublishedMeasured() {
	names := fit.PublishedMeasuredNames()
	m, err := fit.PublishedMeasured(names[0])
	fmt.Println(len(names) > 0, m != nil, err)
	// Output:
	// true true <nil>
}
