// Package specs holds the specs that come with marigram.
package specs

import "embed"

// Studies are those of marigram run, by file name. Only specs that need no other
// file than pulled sets are among them.
//
//go:embed cluster-gavel.yaml cluster-starburst.yaml dynamic-pricing.yaml finetune.yaml layouts.yaml notebooks.yaml
//go:embed parcae-p3.yaml quickstart.yaml recorded-faults.yaml recorded.yaml regions.yaml shrinking-fleet.yaml systems-p3.yaml
var Studies embed.FS
