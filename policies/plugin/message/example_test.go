package message_test

import (
	"encoding/json"
	"fmt"

	"github.com/marigram/marigram/policies/plugin/message"
)

// A plan as a program writes it: what it leaves out stays as it is.
func ExamplePlan() {
	var plan message.Plan
	err := json.Unmarshal([]byte(`{"hold":{"us-east-1a/p3.2xlarge":2},"wake_s":600}`), &plan)
	fmt.Println(plan.Hold.ByName, *plan.WakeS, plan.Save, err)
	// Output:
	// map[us-east-1a/p3.2xlarge:2] 600 false <nil>
}
