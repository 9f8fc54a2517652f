package spec_test

import (
	"fmt"

	"github.com/marigram/marigram/experiments/spec"
	_ "github.com/marigram/marigram/papers/extensions"
)

// A spec that comes with marigram, with another value of one key; what is wrong is said with its place.
func ExampleOpen() {
	s, err := spec.Open("quickstart", spec.Setting{Path: "market.replay.notice_s", Value: 30})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, o := range s.Objectives {
		fmt.Println(o.Name, o.Loss, o.TimeS)
	}
	_, err = spec.Parse("mine.yaml", []byte("nam: mine\n"))
	fmt.Println(err != nil)
	// Output:
	// loss-0.8-in-40min 0.8 2400
	// loss-0.54-in-6h 0.54 21600
	// true
}
