package pipeline_test

import (
	"fmt"

	"github.com/marigram/marigram/calibrate/pipeline"
)

// The published throughputs, by name.
func ExamplePublishedThroughput() {
	_, err := pipeline.PublishedThroughput("varuna-bert-large-a40")
	fmt.Println(err)
	_, err = pipeline.PublishedThroughput("none")
	fmt.Println(err != nil)
	// Output:
	// <nil>
	// true
}
