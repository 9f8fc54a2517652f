// Package safe is the safe form of any policy: the base policy decides while on demand
// alone could still meet the deadline, and on demand does from then on.
//
// The guarantee: the objective is met, whatever the spot market does, if
//
//   - the job is feasible on demand: on the fastest cluster that the quotas allow, with
//     boot and reserve, it is in time from its submission;
//   - on demand is granted at once, and boots take no longer than their mean and half of
//     the reserve;
//   - the job trains as fast as its model says, and no other job takes the quotas.
//
// It rests on one invariant. At every instant before the last at which it holds, the
// policy is asked again, so that
//
//	time left >= time on the fastest cluster on demand + boot + reserve/2
//
// from the training that a loss of all spot instances would leave. At that instant it
// requests on demand what is in time without any spot instance.
package safe
