package quotas

// The objects of Kueue's API, kueue.x-k8s.io/v1beta2, with the names of v1beta1 for what is called otherwise there
// (https://kueue.sigs.k8s.io/docs/reference). What has a tag refuse is not simulated: the tag says what it would do.

// Object is what all objects have.
type Object struct {
	APIVersion string         `json:"apiVersion"`
	Kind       string         `json:"kind"`
	Metadata   map[string]any `json:"metadata"`
	Status     any            `json:"status,omitempty"`
}

type clusterQueue struct {
	Object `json:",inline"`
	Spec   struct {
		CohortName        string          `json:"cohortName,omitempty"`
		Cohort            string          `json:"cohort,omitempty"`
		QueueingStrategy  string          `json:"queueingStrategy,omitempty" names:"BestEffortFIFO,StrictFIFO"`
		NamespaceSelector any             `json:"namespaceSelector,omitempty"`
		StopPolicy        string          `json:"stopPolicy,omitempty" names:"None,Hold,HoldAndDrain"`
		ResourceGroups    []resourceGroup `json:"resourceGroups,omitempty"`
		FlavorFungibility struct {
			WhenCanBorrow  string `json:"whenCanBorrow,omitempty" names:"MayStopSearch,TryNextFlavor,Borrow"`
			WhenCanPreempt string `json:"whenCanPreempt,omitempty" names:"MayStopSearch,TryNextFlavor,Preempt"`
			Preference     string `json:"preference,omitempty" names:"BorrowingOverPreemption,PreemptionOverBorrowing"`
		} `json:"flavorFungibility,omitempty"`
		Preemption struct {
			WithinClusterQueue  string `json:"withinClusterQueue,omitempty" names:"Never,LowerPriority,LowerOrNewerEqualPriority"`
			ReclaimWithinCohort string `json:"reclaimWithinCohort,omitempty" names:"Never,LowerPriority,Any"`
			BorrowWithinCohort  *struct {
				Policy               string `json:"policy,omitempty" names:"Never,LowerPriority"`
				MaxPriorityThreshold *int32 `json:"maxPriorityThreshold,omitempty"`
			} `json:"borrowWithinCohort,omitempty"`
		} `json:"preemption,omitempty"`
		FairSharing fairSharing `json:"fairSharing,omitempty"`

		AdmissionChecks           any `json:"admissionChecks,omitempty" refuse:"it would delay admissions"`
		AdmissionChecksStrategy   any `json:"admissionChecksStrategy,omitempty" refuse:"it would delay admissions"`
		AdmissionScope            any `json:"admissionScope,omitempty" refuse:"it would order jobs by what their LocalQueues used"`
		ConcurrentAdmissionPolicy any `json:"concurrentAdmissionPolicy,omitempty" refuse:"it would try a job on several flavors at once"`
	} `json:"spec"`
}

type fairSharing struct {
	Weight string `json:"weight,omitempty" numbers:"true"`
}

type resourceGroup struct {
	CoveredResources []string `json:"coveredResources"`
	Flavors          []struct {
		Name      string          `json:"name"`
		Resources []resourceQuota `json:"resources"`
	} `json:"flavors"`
}

type resourceQuota struct {
	Name           string `json:"name"`
	NominalQuota   string `json:"nominalQuota" numbers:"true"`
	BorrowingLimit string `json:"borrowingLimit,omitempty" numbers:"true"`
	LendingLimit   string `json:"lendingLimit,omitempty" numbers:"true"`
}

type cohort struct {
	Object `json:",inline"`
	Spec   struct {
		ParentName     string          `json:"parentName,omitempty"`
		Parent         string          `json:"parent,omitempty"`
		ResourceGroups []resourceGroup `json:"resourceGroups,omitempty"`
		FairSharing    fairSharing     `json:"fairSharing,omitempty"`
	} `json:"spec,omitempty"`
}

type resourceFlavor struct {
	Object `json:",inline"`
	Spec   struct {
		NodeLabels   any `json:"nodeLabels,omitempty"`
		NodeTaints   any `json:"nodeTaints,omitempty"`
		Tolerations  any `json:"tolerations,omitempty"`
		TopologyName any `json:"topologyName,omitempty" refuse:"it would keep pods of a job close together"`
	} `json:"spec,omitempty"`
}

type localQueue struct {
	Object `json:",inline"`
	Spec   struct {
		ClusterQueue string `json:"clusterQueue"`
		StopPolicy   string `json:"stopPolicy,omitempty" names:"None,Hold,HoldAndDrain"`
		FairSharing  any    `json:"fairSharing,omitempty" refuse:"it would order jobs by what their LocalQueues used"`
	} `json:"spec"`
}

type priorityClass struct {
	Object      `json:",inline"`
	Value       int32  `json:"value"`
	Description string `json:"description,omitempty"`
}

// configuration is that of Kueue's manager (config.kueue.x-k8s.io).
type configuration struct {
	APIVersion  string `json:"apiVersion"`
	Kind        string `json:"kind"`
	FairSharing *struct {
		Enable               *bool    `json:"enable,omitempty"`
		PreemptionStrategies []string `json:"preemptionStrategies,omitempty" names:"LessThanOrEqualToFinalShare,LessThanInitialShare"`
	} `json:"fairSharing,omitempty"`
	FeatureGates map[string]bool `json:"featureGates,omitempty"`

	WaitForPodsReady     any `json:"waitForPodsReady,omitempty" refuse:"it would hold back or evict jobs whose pods do not start"`
	Resources            any `json:"resources,omitempty" refuse:"it would change what jobs ask for"`
	AdmissionFairSharing any `json:"admissionFairSharing,omitempty" refuse:"it would order jobs by what their LocalQueues used"`

	ManagerOnly `json:",inline"`
}

// ManagerOnly is what decides on no job with a queue: ports, clients, which kinds of jobs there are.
type ManagerOnly struct {
	Namespace                    any `json:"namespace,omitempty"`
	ManageJobsWithoutQueueName   any `json:"manageJobsWithoutQueueName,omitempty"`
	ManagedJobsNamespaceSelector any `json:"managedJobsNamespaceSelector,omitempty"`
	InternalCertManagement       any `json:"internalCertManagement,omitempty"`
	ClientConnection             any `json:"clientConnection,omitempty"`
	Integrations                 any `json:"integrations,omitempty"`
	QueueVisibility              any `json:"queueVisibility,omitempty"`
	VisibilityServer             any `json:"visibilityServer,omitempty"`
	MultiKueue                   any `json:"multiKueue,omitempty"`
	ObjectRetentionPolicies      any `json:"objectRetentionPolicies,omitempty"`
	Webhook                      any `json:"webhook,omitempty"`
	LeaderElection               any `json:"leaderElection,omitempty"`
	Metrics                      any `json:"metrics,omitempty"`
	Health                       any `json:"health,omitempty"`
	PprofBindAddress             any `json:"pprofBindAddress,omitempty"`
	Controller                   any `json:"controller,omitempty"`
	TLS                          any `json:"tls,omitempty"`
}
