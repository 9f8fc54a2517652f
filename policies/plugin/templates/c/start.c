/* A policy for marigram in C: so many instances of the cheapest spot pool, and a look
 * every ten minutes. Setting: instances.
 *
 *   clang --target=wasm32 -O2 -nostdlib -mbulk-memory -ffp-contract=off -Wl,--no-entry -o start.wasm start.c
 *
 * marigram.h says what there is to see and to plan. */
#include "marigram.h"

MG_SETTINGS("[{\"name\": \"instances\", \"default\": 4, \"min\": 1, \"max\": 4096, \"whole\": true, \"doc\": \"how many to hold\"}]")

static const mg_pool *pools;
static mg_u32 count;
static int instances;

static void mg_begin(const mg_pool *p, mg_u32 n) {
	pools = p;
	count = n;
	instances = (int)mg_setting("instances", 4);
}

static void mg_decide(const mg_view *view, mg_plan *plan) {
	mg_u32 best = count;
	for (mg_u32 p = 0; p < count; p++)
		if (!pools[p].on_demand && pools[p].quota > 0 && (best == count || view->price[p] < view->price[best])) best = p;
	if (view->jobs == 0 || best == count) return;
	mg_job_plan *job = &plan->job[0];
	job->holds = 1;
	for (mg_u32 p = 0; p < count; p++) job->hold[p] = 0;
	job->hold[best] = instances < (int)pools[best].quota ? instances : (int)pools[best].quota;
	plan->wake_s = 600;
	plan->because = "the cheapest spot pool";
}
