package cluster

// At returns an error at a place of the spec.
type At func(path, format string, args ...any) error

// MaxJobs is the most jobs of a run: the world holds all of them.
const MaxJobs = 1 << 22

const maxS = 100 * 366 * 86400
