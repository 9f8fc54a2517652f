package message_test

import (
	"encoding/json"
	"fmt"

	"github.com/marigram/marigram/policies/plugin/message"
)

// A plan in both forms of the messages.
func ExamplePlan() {
	job := 0
	plan := message.Plan{Because: "cheap", Jobs: []message.JobPlan{{Job: &job, Hold: &message.Hold{ByPool: []int{2, 0}}}}}
	flat := plan.AppendFlat(nil)
	again, err := message.ParseFlat(flat)
	fmt.Println(len(flat), again.Because, again.Jobs[0].Hold.ByPool, err)
	var read message.Plan
	err = json.Unmarshal([]byte(`{"hold":{"us-east-1a/p3.2xlarge":2},"wake_s":600}`), &read)
	fmt.Println(read.Hold.ByName, *read.WakeS, err)
	// Output:
	// 73 cheap [2 0] <nil>
	// map[us-east-1a/p3.2xlarge:2] 600 <nil>
}
