/* Holds by what was seen of pools, and waits by what moves take: all that mg_look, mg_apart and mg_wait say has a part in it. */
#include "marigram.h"

static mg_pool pools[MG_POOLS];
static mg_u32 count, asked;

static void mg_begin(const mg_pool *p, mg_u32 n) {
	for (mg_u32 i = 0; i < n; i++) pools[i] = p[i];
	count = n;
}

static void mg_decide(const mg_view *view, mg_plan *plan) {
	mg_u32 at = asked++ % count;
	double sum = 0;
	for (mg_u32 p = 0; p < count; p++) {
		mg_looked x = mg_look(view->job[0].job, p, (int)at, view->now_s / 2);
		if (!x.known || mg_look(view->job[0].job, p, -1, view->now_s + 1).known) __builtin_trap();
		sum += x.usd_per_h + x.removals + x.arrivals + x.grants + x.held_s + x.waited_s + x.has_state + x.move_usd + x.move_s + x.leaving;
		sum += (x.refused_s == x.refused_s ? x.refused_s : 1) + (x.taken_s == x.taken_s ? x.taken_s : 2);
		for (mg_u32 i = 0; i < x.leaving; i++) sum += x.leaving_s[i];
		mg_u32 apart = mg_apart(&pools[p], &pools[at]);
		sum += (apart == 0xff ? 3 : apart) + pools[p].reserved + pools[p].notice_missing + pools[p].wait_s + pools[p].length_s;
	}
	sum -= 60 * (double)(mg_u64)(sum / 60);
	plan->job[0].holds = 1;
	for (mg_u32 p = 0; p < count; p++) plan->job[0].hold[p] = p == at ? 1 + (int)(sum / 20) : 0;
	plan->job[0].drain = asked % 2;
	plan->wake_s = 600 + (double)(mg_u32)sum;
	plan->wait_for = "notice+gone";
	mg_condition *c = mg_wait(plan);
	c->job = 0;
	c->waited_s = 120 + (double)(mg_u32)sum;
	c->every_s = 60;
}
