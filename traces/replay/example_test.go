package replay_test

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/describe"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/replay"
	"github.com/marigram/marigram/traces/synth"
)

// Read what `aws ec2 describe-spot-price-history` printed, and describe it.
func ExampleImport() {
	dir, err := os.MkdirTemp("", "traces")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "p3.json")
	os.WriteFile(path, []byte(`{"NextToken": "", "SpotPriceHistory": [
		{"AvailabilityZone": "us-east-1b", "InstanceType": "p3.2xlarge", "ProductDescription": "Linux/UNIX", "SpotPrice": "1.224000", `+
		`"Timestamp": "2020-02-21T06:00:00.000Z"},
		{"AvailabilityZone": "us-east-1b", "InstanceType": "p3.2xlarge", "ProductDescription": "Linux/UNIX", "SpotPrice": "0.918000", `+
		`"Timestamp": "2020-02-20T18:00:00.000Z"}
	]}`), 0o666)

	set, report, err := formats.Import("aws-spot-price", []string{path}, traces.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(report)
	pool := describe.Stats(set).Pools[0]
	fmt.Printf("%s: mean %.3f USD/h, %.2f of on-demand\n", pool.Pool, *pool.Price.Mean, *pool.Price.OverOnDemand)
	// Output:
	// aws-spot-price: 1 files, 2 rows, 2 kept, in 1 pools, from 2020-02-20T18:00:00.000Z to 2020-02-21T06:00:00.000Z
	//         2 changes, the first row of each pool included
	// us-east-1b/p3.2xlarge: mean 0.918 USD/h, 0.30 of on-demand
}

// Make a market of six zones from a seed and replay its first twelve hours.
func ExampleReplay() {
	pools := synth.SyntheticPools(2, 3, synth.SyntheticPool{
		InstanceType: "p3.2xlarge", GPU: "V100", GPUs: 1, OnDemandNano: 3_060_000_000, Cap: 16,
	})
	trace, err := synth.DefaultSynthetic().Trace(42, pools, 12*time.Hour)
	if err != nil {
		fmt.Println(err)
		return
	}
	assumption := replay.Replay{Adapter: replay.CountCap, Notice: sim.DefaultNotice("aws")}
	market, err := assumption.Market(trace, replay.Window{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(assumption, market.Pools(), market.Pool(0).Name, market.End().Seconds()/3600)
	// Output: count_cap(victim=random,notice=120s,missing=0) 6 synthetic-1a/p3.2xlarge 12
}
