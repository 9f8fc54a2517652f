package parallel_test

import (
	"fmt"
	"strings"

	"github.com/marigram/marigram/calibrate/parallel"
)

// Measured speeds, as a table; what is wrong is said with its line.
func ExampleReadMeasured() {
	rows, err := parallel.ReadMeasured("speeds.csv", strings.NewReader("type,workers,steps_per_s\np3.2xlarge,1,0.484\np3.2xlarge,4,1.499\n"))
	fmt.Println(len(rows), err)
	// Output:
	// 2 <nil>
}
