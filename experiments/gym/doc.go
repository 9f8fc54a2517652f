// Package gym lets a learner act in the runs of a study, a step at a time: environments that follow the
// interface of Gymnasium (Towers et al., arXiv 2407.17032), and a server for programs in other languages.
//
// An environment is a sim.World that stops before each decision (World.NextDecision). An action is how
// many instances to hold by pool until the next step; an observation is what a policy sees then, as
// numbers; the reward is minus the dollars that the step cost, and at the end minus a price for being
// late. The rewards of an episode add up to minus the cost of the same run by marigram run. The future
// is never in an observation: the tape does not leave the world.
package gym
