package compression

// gathered returns the bytes that pass a link where a share of the payload is gathered by so
// many ranks, over those of an all-reduce of the whole: share ranks/2. It is above 1, and
// compression loses, as soon as the share is above 2/ranks.
func gathered(share float64, ranks int) float64 { return share * float64(ranks) / 2 }
