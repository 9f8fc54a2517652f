package outofcore

import "fmt"

const maxPartitions = 1 << 20

// checkBuffer refuses what is no buffer of n of m partitions.
func checkBuffer(partitions, buffer int) error {
	if partitions < 2 || partitions > maxPartitions || buffer < 2 || buffer > partitions {
		return fmt.Errorf("%d partitions, a buffer of %d, "+
			"expected 2 to %d partitions and 2 to all of them in the buffer", partitions, buffer, maxPartitions)
	}
	return nil
}

// MinSwaps is a lower bound on the swaps of an epoch in which every two partitions are
// once in the buffer together (Marius, section 4.1). It panics on what is no buffer.
func MinSwaps(partitions, buffer int) int {
	must(checkBuffer(partitions, buffer))
	pairs := partitions*(partitions-1)/2 - buffer*(buffer-1)/2
	return (pairs + buffer - 2) / (buffer - 1)
}

// Swaps returns the swaps of Marius's order BETA: all but one place of the buffer are
// kept while the others pass through the last; then others are kept, until none is left.
// Each reads a partition and, if it is learned, writes one back. It panics on what is no
// buffer.
func Swaps(partitions, buffer int) int {
	must(checkBuffer(partitions, buffer))
	rest := partitions - buffer
	rounds := rest / (buffer - 1)
	return rest + (rounds+1)*rest - rounds*(rounds+1)*(buffer-1)/2
}

func must(err error) {
	if err != nil {
		panic("outofcore: " + err.Error())
	}
}
