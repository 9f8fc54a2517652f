/* marigram's policy greedy (Can't Be Late, NSDI 2024) in C: its decisions are those of the built-in one, to the last
 * bit. On spot whenever there is some, else it waits, and it moves to on demand when the time left just suffices.
 * Settings: instances (0 chooses), changeover_s (0 derives), poll_s.
 *
 *   clang --target=wasm32 -O2 -nostdlib -mbulk-memory -ffp-contract=off -Wl,--no-entry -o greedy.wasm greedy.c */
#include "marigram.h"

enum { NOTHING, SPOT, ON_DEMAND };

static const mg_pool *pools;
static int count, instances;
static mg_i64 poll; /* spans in ns */
static double changeover;

/* Of the decision. */
static const mg_view *view;
static mg_plan *plan;

static int least(int a, int b) { return a < b ? a : b; }
static int most(int a, int b) { return a > b ? a : b; }
static mg_i64 later(mg_i64 a, mg_i64 b) { return a > b ? a : b; }

/* Rounds half away from zero. */
static double rounded(double x) {
	double t = __builtin_trunc(x);
	if (__builtin_fabs(x - t) >= 0.5) t += __builtin_copysign(1, x);
	return t;
}
static mg_i64 span(double s) { return (mg_i64)rounded(s * 1e9); }
static mg_i64 instant(double s) { return (mg_i64)rounded(s * 1e6) * 1000; }
static double seconds(mg_i64 ns) { return (double)(ns / 1000000000) + (double)(ns % 1000000000) / 1e9; }
static mg_i64 up(mg_i64 ns) { return (ns + 999) / 1000 * 1000; }

static void wake(mg_i64 ns) {
	double s = (double)(up(ns) / 1000) / 1e6;
	if (!(plan->wake_s <= s)) plan->wake_s = s;
}

static void mg_begin(const mg_pool *p, mg_u32 n) {
	pools = p;
	count = (int)n;
	poll = span(mg_setting("poll_s", 600));
	instances = (int)mg_setting("instances", 0);
	changeover = mg_setting("changeover_s", 0);
}

/* What the rule knows; spans in seconds. */
typedef struct { double now, deadline, work, done, changeover, warming, grain; int available, running; } state;

static double grains(const state *s, double x) { return __builtin_ceil(x / s->grain) * s->grain; }

/* The safety net: it overrides an answer that would risk the deadline. */
static int safe(const state *s, int answer) {
	double left = __builtin_floor((s->deadline - s->now) / s->grain) * s->grain, work = s->work - s->done;
	if (grains(s, work + 2 * s->changeover) >= left && s->running != SPOT) answer = ON_DEMAND;
	if (grains(s, work + s->changeover) < left) return answer;
	if ((s->changeover == 0 && s->available) || (s->running == SPOT && s->warming < 1e-3)) return SPOT;
	return ON_DEMAND;
}

static int rule(const state *s) {
	if (s->work - s->done <= 1e-3) return NOTHING;
	return safe(s, s->available ? SPOT : NOTHING);
}

static double changing(const mg_answer *a) { return changeover > 0 ? changeover : a->ready_s + a->loss_s; }

static double working(const mg_answer *a) {
	double whole = a->whole_s == a->whole_s ? a->whole_s : __builtin_inf();
	return whole * (1 + a->save_s / seconds(poll));
}

static int waits(const mg_job *j, int n, state *s) {
	mg_answer a = mg_ask(j->job, n);
	s->work = working(&a);
	s->changeover = changing(&a);
	return safe(s, SPOT) == SPOT;
}

static int meets(const mg_job *j, int n, state *s) {
	mg_answer a = mg_ask(j->job, n);
	return working(&a) + changing(&a) <= s->deadline;
}

/* The smallest number from 1 for which it holds; one more than the largest if there is none. */
static int first(const mg_job *j, int largest, state *s, int (*holds)(const mg_job *, int, state *)) {
	int low = 0, high = largest;
	while (low < high) {
		int middle = (low + high) / 2;
		if (holds(j, middle + 1, s)) high = middle;
		else low = middle + 1;
	}
	return 1 + low;
}

/* The smallest number of instances that leaves time to wait for spot, or else that meets the deadline. */
static int size(const mg_job *j) {
	int spots = 0, dear = 0;
	for (int p = 0; p < count; p++) {
		if (pools[p].on_demand) dear = most(dear, (int)pools[p].quota);
		else spots += (int)pools[p].quota;
	}
	int largest = least(most(most(spots, dear), 1), (int)mg_ask(j->job, 1).most);
	state s = {.now = seconds(poll), .deadline = j->within_s, .grain = seconds(poll)};
	int n = first(j, largest, &s, waits);
	if (n > largest) n = first(j, largest, &s, meets);
	n = most(least(n, largest), 1);
	mg_answer a = mg_ask(j->job, n);
	return a.pipelined ? most((int)(a.pipelines * a.stages), 1) : n;
}

static int active(const mg_job *j, int p) { return (int)(j->held[p].starting + j->held[p].ready); }

static state observe(const mg_job *j, int n, const mg_answer *a, mg_i64 *since) {
	*since = instant(view->now_s) - (instant(j->deadline_s) - span(j->within_s));
	state s = {.now = seconds(*since / 1000000 * 1000000), .deadline = j->within_s, .grain = seconds(poll), .work = working(a),
	           .changeover = changing(a)};
	int spots = 0, ready = 0, dear = 0;
	for (int p = 0; p < count; p++) {
		if (pools[p].on_demand) {
			dear += active(j, p);
		} else {
			spots += active(j, p);
			ready += (int)j->held[p].ready;
		}
	}
	s.available = spots >= n;
	if (dear > 0) s.running = ON_DEMAND;
	else if (s.available && !((view->trigger & MG_GRANT) && ready == 0)) s.running = SPOT;
	if (!(j->flags & MG_TRAINING)) s.warming = s.changeover;
	s.done = j->done * s.work;
	return s;
}

static int on_demand_pool(int n) {
	int best = -1;
	for (int p = 0; p < count; p++)
		if (pools[p].on_demand && (int)pools[p].quota >= n && (best < 0 || view->price[p] < view->price[best])) best = p;
	return best;
}

/* The numbers by pool of a job of the view, to change. */
static int *hold(int i) {
	mg_job_plan *mine = &plan->job[i];
	if (!mine->holds)
		for (int p = 0; p < count; p++) mine->hold[p] = (int)view->job[i].held[p].want;
	mine->holds = 1;
	return mine->hold;
}

static int headroom(int i, int p) {
	int room = (int)pools[p].quota;
	for (int k = 0; k < (int)view->jobs; k++) {
		const mg_job *other = &view->job[k];
		room -= (int)other->held[p].noticed;
		room -= k == i ? active(other, p) : plan->job[k].holds ? plan->job[k].hold[p] : (int)other->held[p].want;
	}
	return most(room, 0);
}

static void request_spot(int i, int n) {
	const mg_job *j = &view->job[i];
	int *h = hold(i), missing = n;
	for (int p = 0; p < count; p++)
		if (!pools[p].on_demand) missing -= active(j, p);
	for (int p = 0; p < count; p++) {
		h[p] = 0;
		if (pools[p].on_demand) continue;
		h[p] = active(j, p) + least(most(missing, 0), headroom(i, p));
		if (h[p] > active(j, p) + (int)j->held[p].waiting && pools[p].boot_median_s == 0) plan->again = 1;
	}
	while (missing < 0) {
		int dearest = -1;
		for (int p = 0; p < count; p++)
			if (h[p] > 0 && (dearest < 0 || view->price[p] > view->price[dearest])) dearest = p;
		int give = least(h[dearest], -missing);
		h[dearest] -= give;
		missing += give;
	}
}

/* Holds instances on demand, and requests spot where the rule would take it. */
static void move(int i, int n, int dear, state *s, int at_poll) {
	const mg_job *j = &view->job[i];
	int granted = 0, *h = hold(i);
	for (int p = 0; p < count; p++)
		if (!pools[p].on_demand) granted += active(j, p);
	s->available = 1;
	if (granted > 0 || rule(s) == ON_DEMAND) {
		for (int p = 0; p < count; p++) h[p] = 0;
	} else if (at_poll && !(view->trigger & MG_AGAIN)) {
		request_spot(i, n);
		plan->again = 1;
	}
	h[dear] = active(j, dear);
	h[dear] += least(most(n - h[dear], 0), headroom(i, dear));
	plan->because = "on demand";
}

static int is(const mg_job *j, mg_u32 flag) { return (j->flags & flag) != 0; }

/* How long a save has to wait. */
static mg_i64 until_savable(const mg_job *j, mg_i64 interval) {
	mg_i64 now = instant(view->now_s);
	if (!is(j, MG_TRAINING)) return j->paused_s == j->paused_s ? instant(j->paused_s) - now : interval;
	if (!is(j, MG_SAFE)) return later(span(j->persist_s) - (now - instant(j->saved_s)), 1000);
	return 0;
}

/* Whether the work is saved; asks for a save if it is not. */
static int saved(const mg_job *j, mg_job_plan *mine) {
	if (!is(j, MG_TRAINING) && j->paused_s != j->paused_s) return 1;
	if (!is(j, MG_TRAINING) || !is(j, MG_SAFE)) {
		wake(until_savable(j, 1000));
		return 0;
	}
	if (instant(view->now_s) - instant(j->saved_s) > span(j->persist_s) + 1000000) {
		mine->save = 1;
		wake(later(span(j->save_s), 1000));
		return 0;
	}
	return 1;
}

/* Saves at every poll, and just before announced losses. */
static void save(const mg_job *j, mg_job_plan *mine) {
	mg_i64 now = instant(view->now_s), last = instant(j->saved_s), wait = until_savable(j, poll);
	if (wait > 0) {
		wake(wait);
		return;
	}
	mg_i64 lead = up(span(j->save_s) + span(j->persist_s) + 1000), next = later(last + up(poll), now), latest = 0;
	const char *why = "save";
	int leaving = j->leaving_s == j->leaving_s;
	if (leaving) {
		latest = instant(j->leaving_s) - lead;
		if (last < latest && next + lead > latest) {
			next = latest;
			why = "save before an announced loss";
		}
	}
	if (next > now) {
		wake(next - now);
		return;
	}
	mine->save = 1;
	wake(poll);
	if (leaving && latest > now) wake(latest - now);
	plan->because = why;
}

static void decide(int i) {
	const mg_job *j = &view->job[i];
	mg_job_plan *mine = &plan->job[i];
	int n = instances ? instances : size(j);
	mg_answer a = mg_ask(j->job, n);
	if (a.pipelined) {
		mine->pipelines = (int)a.pipelines;
		mine->stages = (int)a.stages;
	}
	mine->workers = n;
	mg_i64 since;
	state s = observe(j, n, &a, &since);
	int dear = on_demand_pool(n);
	wake(poll - since % poll);
	int choice = rule(&s);
	if (dear < 0 && choice == ON_DEMAND) choice = SPOT;
	if (s.running == ON_DEMAND && choice != ON_DEMAND && !saved(j, mine)) return;
	if (choice == ON_DEMAND) {
		move(i, n, dear, &s, since % poll == 0);
	} else {
		request_spot(i, n);
		plan->because = "on spot, or waiting for it";
	}
	save(j, mine);
}

static void mg_decide(const mg_view *v, mg_plan *p) {
	view = v;
	plan = p;
	for (int i = 0; i < (int)v->jobs; i++) decide(i);
}
