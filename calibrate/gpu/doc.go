// Package gpu has the families of what a step of training takes on one kind of GPU:
// its time by batch and number of GPUs, its memory, the largest batch, and an
// estimate for GPUs that were not measured (the roofline). One file has those of one
// kind; importing the package registers them.
package gpu
