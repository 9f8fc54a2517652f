package traces_test

import (
	"fmt"

	"github.com/marigram/marigram/traces"
)

// A trace in the neutral form, made by hand: a pool, and when it had how many machines.
func ExampleSet() {
	n := func(t int64, available int32) traces.CapacityRow {
		return traces.CapacityRow{T: t, Available: available}
	}
	set := traces.Set{Pools: []traces.Pool{{Name: "us-east-1a/p3.2xlarge", Cloud: "aws", Zone: "us-east-1a", InstanceType: "p3.2xlarge"}},
		Capacity: []traces.CapacityRow{n(0, 2), n(3_600_000_000, 0)}}
	first, last, any := set.RowSpan()
	fmt.Println(set.PoolNamed("us-east-1a/p3.2xlarge"), set.Counts().Capacity, first, last, any)
	// Output:
	// 0 2 0 3600000000 true
}
