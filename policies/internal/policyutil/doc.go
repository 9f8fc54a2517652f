// Package policyutil is what several policies do alike: ask for spot instances, choose a
// layout for those that are ready, save, keep to quotas, and explain a decision to a
// recorder.
package policyutil
