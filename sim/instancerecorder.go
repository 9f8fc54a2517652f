package sim

// InstanceRecorder is a Recorder that is told what happens to every instance.
type InstanceRecorder interface {
	Recorder
	// Instance is told that something happens now to the n-th instance, from 0,
	// that was granted in pool p, and that job j holds.
	Instance(now Time, j, p, n int, what InstanceEvent)
}

// InstanceEvent is what happens to an instance. The events of one instance come in
// the order below; Ready and Noticed may be missing or come in the other order.
type InstanceEvent uint8

// The events of an instance.
const (
	InstanceGranted  InstanceEvent = iota
	InstanceReady                  // it can train
	InstanceNoticed                // its revocation is announced
	InstanceRevoked                // the cloud took it
	InstanceReleased               // the job gave it back, or ended
)

// instanceEvent tells the recorder what happens to an instance.
func (a *accounts) instanceEvent(now Time, x *instance, what InstanceEvent) {
	if a.instanceRecorder != nil {
		a.instanceRecorder.Instance(now, int(x.job), int(x.pool), int(x.ordinal), what)
	}
}
