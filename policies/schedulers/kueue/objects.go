// Package kueue decides which jobs of a shared cluster are admitted, and which are preempted for others, as the
// scheduler of Kueue does: quotas in a tree of cohorts, flavors, borrowing, preemption and fair sharing. It knows no
// time but the order of what happens, and nothing of servers: only quotas.
//
// The rules are those of github.com/kubernetes-sigs/kueue at commit ff69552 (after v0.19.2) with its default feature
// gates, and are named as its documentation does (https://kueue.sigs.k8s.io/docs/concepts). A cluster is told what
// happens to jobs, and Settle then repeats cycles of admission until nothing more can change.
package kueue

// Policy says which jobs may be preempted for another.
type Policy uint8

// The policies of preemption.
const (
	Never Policy = iota
	LowerPriority
	LowerOrNewerEqualPriority
	Any
)

// NoLimit is a limit of borrowing or lending that is not set.
const NoLimit = int64(-1)

// MaxAmount bounds the sum of all quotas, and the request of a job.
const MaxAmount = int64(1) << 60

// Quota is what there is of a resource in a flavor: cpu in thousandths, all else in whole units.
type Quota struct {
	Nominal, Borrowing, Lending int64 // the limits may be NoLimit
}

// FlavorQuotas are the quotas of a flavor, in the order of the resources of its group.
type FlavorQuotas struct {
	Flavor string
	Quotas []Quota
}

// Group is resources that come in the same flavors, which are tried in order.
type Group struct {
	Resources []string
	Flavors   []FlavorQuotas
}

// ClusterQueue is a queue with its quotas.
type ClusterQueue struct {
	Name   string
	Cohort string // empty: none
	Groups []Group
	// Strict keeps jobs behind one that does not fit waiting (StrictFIFO).
	Strict bool
	// TryNextToBorrow and TryNextToPreempt go on to the next flavor before a job borrows or preempts
	// (flavorFungibility).
	TryNextToBorrow, TryNextToPreempt bool
	// PreemptRather takes, of flavors that were all tried, one that borrows less before one that preempts less.
	PreemptRather bool
	// Within and Reclaim are the policies for jobs of the queue and for those that borrow in its cohort.
	Within, Reclaim Policy
	// BorrowWithin lets jobs preempt others of lower priority while they borrow, up to BorrowThreshold if it is set.
	BorrowWithin    bool
	BorrowThreshold *int32
	Weight          float64
	// Stopped queues admit nothing, and their jobs are not preempted. What they do not use of their quota is lent.
	Stopped bool
}

// Cohort is queues and cohorts that lend to one another.
type Cohort struct {
	Name   string
	Parent string // empty: none
	Groups []Group
	Weight float64
}

// Strategy says when a job may be preempted in fair sharing.
type Strategy uint8

// The strategies, by the share of the preempting side with its job and that of the other without (Final) or with
// (Initial) the job that is preempted.
const (
	LessThanOrEqualToFinalShare Strategy = iota
	LessThanInitialShare
)

// Config is a cluster.
type Config struct {
	Queues  []ClusterQueue
	Cohorts []Cohort
	// Fair are the strategies of fair sharing; empty: it is off.
	Fair []Strategy
	// PreemptorsFirst has jobs that wait for their victims to leave go before all others in a cycle (the feature gate
	// PrioritizePreemptorWorkloads, off by default).
	PreemptorsFirst bool
	// ReleaseAtOnce gives the quota of victims back before the next cycle; else Release does.
	ReleaseAtOnce bool
}

// Request is what each pod of a set needs.
type Request struct {
	Resource string
	Amount   int64
}

// PodSet is pods that are alike.
type PodSet struct {
	Name     string
	Count    int64
	Min      int64 // pods with which it starts if there is no quota for more; 0: Count
	Requests []Request
	Flavors  []string // on which it may run; nil: all
}

// Job is a workload.
type Job struct {
	Name     string
	Queue    string // ClusterQueue
	Priority int32
	Created  int64 // s
	PodSets  []PodSet
}

// Kind is what happened to a job in Settle.
type Kind uint8

// What happens.
const (
	Admitted  Kind = iota
	Preempted      // its quota is held until Release
	Released       // after Preempted, with Config.ReleaseAtOnce
)

// Reason is why a job was preempted.
type Reason uint8

// The reasons, as in the condition Preempted of a workload.
const (
	InClusterQueue Reason = iota
	InCohortReclamation
	InCohortReclaimWhileBorrowing
	InCohortFairSharing
)

func (r Reason) String() string {
	names := [...]string{
		"InClusterQueue",
		"InCohortReclamation",
		"InCohortReclaimWhileBorrowing",
		"InCohortFairSharing",
	}
	return names[r]
}

// Event is something that happened to a job.
type Event struct {
	Cycle  int // of the instant, from 0
	Kind   Kind
	Job    int
	For    int // the job that preempted it
	Reason Reason
}

// Waiting is why a job that was looked at last was not admitted.
type Waiting uint8

// Why jobs wait.
const (
	NotTried       Waiting = iota // those before it were
	NoFit                         // not within the quota that there is, and nothing may be preempted for it
	NoCandidates                  // it would have to preempt, and there is nobody whom it may
	PendingVictims                // its victims have yet to leave
	Skipped                       // another job of the cycle took the quota
)
