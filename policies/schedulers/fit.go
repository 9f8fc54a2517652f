package schedulers

// Fit is what a scheduler needs a gang to fit into: it never gives GPUs to one that does not.
type Fit int

const (
	// InCluster: GPUs of all models together.
	InCluster Fit = iota
	// OnModel: GPUs of one model.
	OnModel
	// OnPool: GPUs of one pool; a server is one.
	OnPool
	// OnGPU: a single GPU.
	OnGPU
)

// String names what a gang has to fit into, for messages.
func (f Fit) String() string {
	return [...]string{"the cluster", "the GPUs of one model", "one server or pool", "one GPU"}[f]
}
