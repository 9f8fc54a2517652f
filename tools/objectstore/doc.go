// Package objectstore tests sweeps in an object store: with a real S3 server on this
// machine, many processes, and a network between them that fails (make -C tools test-object-store).
package objectstore
