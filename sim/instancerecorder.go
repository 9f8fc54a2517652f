package sim

// InstanceRecorder is a Recorder that is told what becomes of every instance.
type InstanceRecorder interface {
	Recorder
	// Instance is told that something happens now to the n-th instance granted in
	// pool p, from 0, which job j holds.
	Instance(now Time, j, p, n int, what InstanceEvent)
}

// InstanceEvent is what happens to an instance. Of one instance they come in
// this order; Ready and Noticed may be missing or change places.
type InstanceEvent uint8

// The events of an instance.
const (
	InstanceGranted  InstanceEvent = iota
	InstanceReady                  // it can train
	InstanceNoticed                // it is announced to go
	InstanceRevoked                // the cloud took it
	InstanceReleased               // the job gave it back, or ended
)

// instanceEvent tells the recorder of an instance.
func (a *accounts) instanceEvent(now Time, x *instance, what InstanceEvent) {
	if a.instanceRecorder != nil {
		a.instanceRecorder.Instance(now, int(x.job), int(x.pool), int(x.ordinal), what)
	}
}
