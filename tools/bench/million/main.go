// Command million makes the trace of the sweep of this folder: eight pools over 90 days, whose prices and capacity
// change often.
//
//	million tools/bench/million/market.json out/million/market
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/marigram/marigram/traces/synth"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: million MARKET.json FOLDER")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "million:", err)
		os.Exit(1)
	}
}

// write makes the trace by the settings of a file.
func write(settings, folder string) error {
	text, err := os.ReadFile(settings)
	if err != nil {
		return err
	}
	var market synth.Synthetic
	if err := json.Unmarshal(text, &market); err != nil {
		return fmt.Errorf("%s: %w", settings, err)
	}
	like := synth.SyntheticPool{InstanceType: "p3.2xlarge", GPU: "V100", GPUs: 1, OnDemandNano: 3_060_000_000, Cap: 16}
	set, err := market.Set(1, synth.SyntheticPools(2, 4, like), 90*24*time.Hour)
	if err != nil {
		return err
	}
	return set.Write(folder)
}
