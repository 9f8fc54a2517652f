// Package deadlines schedules many jobs with deadlines on servers of one's own, spot capacity and GPUs on
// demand, as cheaply as the deadlines allow.
package deadlines
