// Package safe is the safe form of any policy: the base policy decides while on demand
// alone could still meet the deadline at a bounded cost, and on demand does from then on.
//
// [Promise] says what is promised. It rests on one calculation ([ondemand.Planner]): the end of the very schedule on
// demand that would be requested now, if all spot instances were lost at this instant. Nothing but the passing of time
// makes that end later, by as much as passes: the work that counts never shrinks, boots and stalls are taken at their
// bounds, and a decision of the base after which that end would be too late is not taken. So the policy is asked again
// at the last instant at which the schedule still ends in time, and requests that schedule then.
package safe

// Promise is what a safe form promises, in one sentence for help texts and documents. It is of the deadline: the limit
// of Regret is kept in plans, with boots that are as likely as not and what was trained counted until it is lost. Where
// whole hours are billed, mdp holds nothing that at worst exceeds it ([Safe.Worst]), or twice Regret where on demand that
// begins two boots later costs no more. Single runs exceed it by some hours: boots take longer than likely, a restart
// comes in between, or the cloud takes back at once what it grants.
const Promise = "meets the deadline whatever spot does, if the best on-demand plan meets it from the submission on, " +
	"on-demand requests are granted at once, boot within the bound that is planned with (boot_share of all clusters) " +
	"and do not fail, the job trains as its model says and no other job takes the quotas"
