# Jobs of a week like those of Microsoft's Philly: most have one GPU and are short, the long ones have most of the
# GPU time, and there are four times as many at noon as at midnight. awk -v jobs=N -v gpus=G -f jobs.awk
function uniform() { state = state * 16807 % 2147483647; return state / 2147483647 }
function normal() { return sqrt(-2 * log(uniform())) * cos(2 * pi * uniform()) }
BEGIN {
	state = 1; pi = atan2(0, -1)
	gap = 7 * 86400 / jobs                         # mean, s
	median = 0.9 * gpus * gap / 2.07 / exp(2)      # nine tenths of the GPUs, 2.07 a job, a lognormal of sigma 2
	split("1 2 4 8 16 32", gang); split("0.75 0.85 0.93 0.985 0.997 1", share)
	print "job_id,submit_s,gpus,duration_s"
	for (i = 0; i < jobs; i++) {
		at -= log(uniform()) * gap / (1 - 0.6 * cos(2 * pi * at / 86400))
		u = uniform()
		for (k = 1; u >= share[k] && k < 6; k++);
		work = median * exp(2 * normal())
		printf "%d,%d,%d,%d\n", i, at, gang[k], int(work) + 1
	}
}
