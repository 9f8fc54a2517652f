/* Policies for marigram in C, compiled to WebAssembly without a C library:
 *
 *   clang --target=wasm32 -O2 -nostdlib -mbulk-memory -ffp-contract=off -Wl,--no-entry -o mine.wasm mine.c
 *
 * A policy includes this file once and defines mg_begin and mg_decide. Instants and spans are in seconds; absent
 * numbers are not-a-number. What a policy keeps in static variables belongs to one run: every run, and every copy of
 * one, has a memory of its own. The messages are those of docs/protocol.md, in their flat form. */
#ifndef MARIGRAM_H
#define MARIGRAM_H

typedef __UINT32_TYPE__ mg_u32;
typedef __UINT64_TYPE__ mg_u64;
typedef __INT64_TYPE__ mg_i64;

enum { MG_VERSION = 1, MG_BYTES = 1 << 18 };
#ifndef MG_POOLS /* at most; a run with more pools or jobs is refused */
#define MG_POOLS 64
#endif
#ifndef MG_JOBS
#define MG_JOBS 64
#endif
enum { MG_START = 1, MG_GRANT = 2, MG_READY = 4, MG_NOTICE = 8, MG_GONE = 16, MG_PRICE = 32, MG_JOB = 64, MG_WAKE = 128, MG_AGAIN = 256, MG_MET = 512, MG_REPAIR = 1024 };
enum { MG_BEGUN = 1, MG_TRAINING = 2, MG_SAFE = 4 };

enum { MG_TIERS = 8, MG_LEAVING = 64, MG_CONDITIONS = 16 };

typedef struct { /* what is fixed about a pool; the name is valid during mg_begin */
	const char *name;
	mg_u32 name_bytes, gpus, on_demand, quota;
	double on_demand_usd_per_h, notice_s, boot_median_s, boot_sigma;
	mg_u32 tiers, place[MG_TIERS]; /* hashes of the names of its region, and of what that is in, the narrowest first */
	mg_u32 reserved;
	double notice_missing, until_s, wait_s, wait_sigma, length_s;
} mg_pool;

typedef struct { mg_u32 want, waiting, starting, ready, noticed; double waiting_since_s; } mg_held;

typedef struct {
	mg_u32 job;
	double deadline_s, within_s, goal_loss;
	mg_u32 flags; /* MG_BEGUN, MG_TRAINING, MG_SAFE */
	double done, loss, saved_loss, speed, laid_s, saved_s, resumed_s, paused_s, leaving_s, save_s, persist_s;
	mg_u32 losses, servers, pipelines, stages;
	mg_held held[MG_POOLS]; /* by pool */
} mg_job;

typedef struct {
	double now_s, usd;
	mg_u32 trigger, recorded, jobs;
	double price[MG_POOLS]; /* by pool, USD per instance-hour */
	mg_job job[MG_JOBS];
} mg_view;

typedef struct { /* what is wanted for a job of the view; -1 and not set: it stays as it is */
	int pipelines, stages, workers, servers, save, refill, holds, across_zones, drain, restart;
	int hold[MG_POOLS]; /* if holds is set */
} mg_job_plan;

typedef struct { /* something to wait for: waited_s, done or whole_s of a job, or a price of a pool; what is not-a-number is not said */
	int job, pool; /* -1: not said */
	double waited_s, done, whole_s, reserve_s, below_usd_per_h, above_usd_per_h, every_s;
} mg_condition;

typedef struct {
	int again;
	double wake_s; /* not-a-number: not asked for */
	const char *because;
	const char *wait_for; /* events for which it is asked until then, names joined by +; 0: all */
	mg_u32 conditions;    /* asked again when one of these begins to hold: mg_wait adds one */
	mg_condition when[MG_CONDITIONS];
	mg_job_plan job[MG_JOBS]; /* as in the view */
} mg_plan;

typedef struct { /* how a job would do on so many instances (mg_ask) */
	double whole_s, left_s, samples_per_s, save_s, loss_s, ready_s;
	mg_u32 pipelined, most, pipelines, stages;
} mg_answer;

typedef struct { /* what was seen of a pool (mg_look) */
	mg_u32 known; /* 0: the question names what is not in the view, or the future */
	double usd_per_h, refused_s, taken_s;
	mg_u32 removals, arrivals, grants;
	double held_s, waited_s;
	mg_u32 has_state; /* the state of the job is there */
	double move_usd, move_s;
	mg_u32 leaving; /* instances under notice; when the first of them go */
	double leaving_s[MG_LEAVING];
} mg_looked;

/* A policy defines these. */
static void mg_begin(const mg_pool *pools, mg_u32 n);
static void mg_decide(const mg_view *view, mg_plan *plan);

#define MG_IMPORT(name) __attribute__((import_module("marigram"), import_name(name)))
#define MG_EXPORT(name) __attribute__((export_name(name)))
MG_IMPORT("ask") void mg_import_ask(const void *at, mg_u32 bytes, void *answer);
MG_IMPORT("ask_pool") mg_u32 mg_import_ask_pool(const void *at, mg_u32 bytes, void *to, mg_u32 room);
MG_IMPORT("setting") double mg_import_setting(const char *name, mg_u32 bytes);
MG_IMPORT("setting_text") mg_u32 mg_import_setting_text(const char *name, mg_u32 bytes, char *to, mg_u32 room);
MG_IMPORT("random") mg_u64 mg_random(mg_u64 n); /* the n-th random number of the run, 64 bits */
MG_IMPORT("log") void mg_log(const char *text, mg_u32 bytes); /* what an error would show */

static unsigned char mg_in[MG_BYTES], mg_out[MG_BYTES];
static mg_pool mg_pool_of[MG_POOLS];
static mg_u32 mg_pools;
static mg_view mg_seen;
static mg_plan mg_wanted;

static const unsigned char *mg_at; /* what is read next */

static mg_u32 mg_u32_in(void) { mg_u32 x; __builtin_memcpy(&x, mg_at, 4); mg_at += 4; return x; }
static double mg_f64_in(void) { double x; __builtin_memcpy(&x, mg_at, 8); mg_at += 8; return x; }

static unsigned char *mg_to; /* what is written next */

static void mg_u32_out(mg_u32 x) { if (mg_to + 8 > mg_out + MG_BYTES) __builtin_trap(); __builtin_memcpy(mg_to, &x, 4); mg_to += 4; }
static void mg_f64_out(double x) { if (mg_to + 8 > mg_out + MG_BYTES) __builtin_trap(); __builtin_memcpy(mg_to, &x, 8); mg_to += 8; }

static mg_u32 mg_length(const char *s) { mg_u32 n = 0; while (s[n]) n++; return n; }

/* Says which settings the policy has, once, outside of functions: a list in JSON, as docs/protocol.md describes it. marigram then
 * refuses others, and values out of bounds. */
#define MG_SETTINGS(json) \
	MG_EXPORT("marigram_settings") mg_u64 mg_settings(void) { \
		static const char text[] = json; \
		return (mg_u64)(__UINTPTR_TYPE__)text << 32 | (sizeof text - 1); \
	}

/* A setting of the spec, or a default. */
static inline double mg_setting(const char *name, double otherwise) {
	double x = mg_import_setting(name, mg_length(name));
	return x == x ? x : otherwise;
}

/* A setting that is a name, with a 0 behind it; 0 if there is none or it has no room. */
static inline int mg_setting_text(const char *name, char *to, mg_u32 room) {
	mg_u32 n = mg_import_setting_text(name, mg_length(name), to, room);
	if (n >= room) return 0;
	to[n] = 0;
	return 1;
}

/* How would a job do on so many instances of one type? */
static inline mg_answer mg_ask(mg_u32 job, mg_u32 instances) {
	mg_u32 q[7] = {5, job, instances, 0, 0, 0, 0xffffffffu};
	unsigned char a[68];
	mg_import_ask(q, sizeof q, a);
	mg_answer out;
	__builtin_memcpy(&out, a + 4, 6 * 8);
	__builtin_memcpy(&out.pipelined, a + 4 + 6 * 8, 4 * 4);
	return out;
}

/* What was seen of a pool, its price at an instant (not-a-number: now), and what it takes to carry the job's state there from
 * another pool (-1: none). */
static inline mg_looked mg_look(mg_u32 job, mg_u32 pool, int from, double at_s) {
	static unsigned char q[24], a[92 + 8 * MG_LEAVING];
	mg_u32 head[4] = {8, job, pool, (mg_u32)from};
	__builtin_memcpy(q, head, 16);
	__builtin_memcpy(q + 16, &at_s, 8);
	mg_import_ask_pool(q, sizeof q, a, sizeof a);
	mg_looked out = {0};
	mg_at = a;
	if (mg_u32_in() != 9) return out;
	out.known = 1;
	out.usd_per_h = mg_f64_in(); out.refused_s = mg_f64_in(); out.taken_s = mg_f64_in();
	out.removals = mg_u32_in(); out.arrivals = mg_u32_in(); out.grants = mg_u32_in();
	out.held_s = mg_f64_in(); out.waited_s = mg_f64_in(); out.has_state = mg_u32_in();
	out.move_usd = mg_f64_in(); out.move_s = mg_f64_in(); out.leaving = mg_u32_in();
	for (mg_u32 i = 0; i < out.leaving && i < MG_LEAVING; i++) out.leaving_s[i] = mg_f64_in();
	return out;
}

/* How far apart two pools are: 0 for one, 1 in one region (a server's rack), 2 in one place above it, and so on; 0xff: farther. */
static inline mg_u32 mg_apart(const mg_pool *p, const mg_pool *q) {
	if (p == q) return 0;
	for (mg_u32 k = 0; k < p->tiers && k < q->tiers; k++)
		if (p->place[k] == q->place[k]) return 1 + k;
	return 0xff;
}

/* One more condition of a plan, in which nothing is said yet. */
static inline mg_condition *mg_wait(mg_plan *plan) {
	if (plan->conditions == MG_CONDITIONS) __builtin_trap();
	mg_condition *c = &plan->when[plan->conditions++];
	c->job = c->pool = -1;
	c->waited_s = c->done = c->whole_s = c->reserve_s = c->below_usd_per_h = c->above_usd_per_h = c->every_s = __builtin_nan("");
	return c;
}

static mg_u32 mg_hash(mg_u32 n) { /* of a text that is read, FNV-1a */
	mg_u32 h = 2166136261u;
	for (; n > 0; n--) h = (h ^ *mg_at++) * 16777619u;
	return h;
}

static void mg_read_terms(mg_pool *p) {
	for (mg_u32 n = mg_u32_in(); n > 0; n--) {
		mg_u32 h = mg_hash(mg_u32_in());
		if (p->tiers < MG_TIERS) p->place[p->tiers++] = h;
	}
	p->reserved = mg_u32_in(); p->notice_missing = mg_f64_in();
	mg_u32 victim = mg_u32_in();
	mg_at += victim;
	p->until_s = mg_f64_in(); p->wait_s = mg_f64_in(); p->wait_sigma = mg_f64_in(); p->length_s = mg_f64_in();
	mg_at += 16; /* how it is billed */
}

MG_EXPORT("marigram_version") mg_u32 mg_version(void) { return MG_VERSION; }

MG_EXPORT("marigram_buffer") void *mg_buffer(mg_u32 bytes) {
	if (bytes > MG_BYTES) __builtin_trap();
	return mg_in;
}

MG_EXPORT("marigram_begin") void mg_exported_begin(const unsigned char *at, mg_u32 bytes) {
	mg_at = at + 12;
	mg_u32 ended = mg_u32_in();
	mg_at += 8 * ended + 16; /* random and start_s */
	mg_pools = mg_u32_in();
	if (mg_pools > MG_POOLS) __builtin_trap();
	for (mg_u32 i = 0; i < mg_pools; i++) {
		mg_pool *p = &mg_pool_of[i];
		for (int k = 0; k < 6; k++) { /* name, cloud, region, zone, type, gpu */
			mg_u32 n = mg_u32_in();
			if (k == 0) { p->name = (const char *)mg_at; p->name_bytes = n; }
			if (k == 2) { p->tiers = 1; p->place[0] = mg_hash(n); }
			else mg_at += n;
		}
		p->gpus = mg_u32_in(); p->on_demand = mg_u32_in(); p->on_demand_usd_per_h = mg_f64_in(); p->quota = mg_u32_in();
		p->notice_s = mg_f64_in(); p->boot_median_s = mg_f64_in(); p->boot_sigma = mg_f64_in();
	}
	if (mg_at < at + bytes) { /* an older marigram ends here */
		mg_u32 n = mg_u32_in();
		for (mg_u32 i = 0; i < n; i++) mg_read_terms(&mg_pool_of[i]);
	}
	mg_begin(mg_pool_of, mg_pools);
}

static void mg_read_job(mg_job *j) {
	j->job = mg_u32_in(); j->deadline_s = mg_f64_in(); j->within_s = mg_f64_in(); j->goal_loss = mg_f64_in(); j->flags = mg_u32_in();
	double *fields[] = {&j->done, &j->loss, &j->saved_loss, &j->speed, &j->laid_s, &j->saved_s, &j->resumed_s, &j->paused_s, &j->leaving_s,
	                    &j->save_s, &j->persist_s};
	for (unsigned k = 0; k < sizeof fields / sizeof *fields; k++) *fields[k] = mg_f64_in();
	j->losses = mg_u32_in(); j->servers = mg_u32_in(); j->pipelines = mg_u32_in(); j->stages = mg_u32_in();
	__builtin_memset(j->held, 0, sizeof(mg_held) * mg_pools);
	for (mg_u32 n = mg_u32_in(); n > 0; n--) {
		mg_held *h = &j->held[mg_u32_in()];
		h->want = mg_u32_in(); h->waiting = mg_u32_in(); h->starting = mg_u32_in(); h->ready = mg_u32_in(); h->noticed = mg_u32_in();
		h->waiting_since_s = mg_f64_in();
	}
}

static void mg_text_out(const char *s) {
	mg_u32 n = mg_length(s);
	mg_u32_out(n);
	if (mg_to + n > mg_out + MG_BYTES) __builtin_trap();
	for (mg_u32 i = 0; i < n; i++) *mg_to++ = s[i];
}

static void mg_write_plan(void) {
	mg_to = mg_out;
	int waits = mg_wanted.wait_for || mg_wanted.conditions;
	mg_u32_out(4); mg_u32_out((mg_wanted.again ? 1 : 0) | (waits ? 2 : 0)); mg_f64_out(mg_wanted.wake_s);
	mg_text_out(mg_wanted.because);
	mg_u32_out(mg_seen.jobs);
	for (mg_u32 i = 0; i < mg_seen.jobs; i++) {
		const mg_job_plan *p = &mg_wanted.job[i];
		mg_u32_out(mg_seen.job[i].job);
		const int switches[] = {p->across_zones, p->drain, p->restart};
		mg_u32 flags = (p->save ? 1 : 0) | (p->refill ? 2 : 0) | (p->holds ? 4 : 0);
		for (int k = 0; k < 3; k++)
			if (switches[k] >= 0) flags |= 8u << k << 8 | (switches[k] ? 8u << k : 0);
		mg_u32_out(flags);
		mg_u32_out(p->pipelines); mg_u32_out(p->stages); mg_u32_out(p->workers); mg_u32_out(p->servers);
		mg_u32_out(p->holds ? mg_pools : 0);
		for (mg_u32 k = 0; p->holds && k < mg_pools; k++) mg_u32_out(p->hold[k]);
	}
	mg_u32_out(0); mg_u32_out(0); /* inputs and candidates */
	if (!waits) return;
	mg_u32_out(mg_wanted.wait_for ? 1 : 0); mg_text_out(mg_wanted.wait_for ? mg_wanted.wait_for : "");
	mg_u32_out(mg_wanted.conditions);
	for (mg_u32 i = 0; i < mg_wanted.conditions; i++) {
		const mg_condition *c = &mg_wanted.when[i];
		mg_u32_out(c->job); mg_u32_out(c->pool);
		mg_f64_out(c->waited_s); mg_f64_out(c->done); mg_f64_out(c->whole_s); mg_f64_out(c->reserve_s);
		mg_f64_out(c->below_usd_per_h); mg_f64_out(c->above_usd_per_h); mg_f64_out(c->every_s);
	}
}

MG_EXPORT("marigram_decide") mg_u64 mg_exported_decide(const unsigned char *at, mg_u32 bytes) {
	(void)bytes;
	mg_view *v = &mg_seen;
	mg_at = at + 12;
	v->now_s = mg_f64_in(); v->trigger = mg_u32_in(); v->recorded = mg_u32_in(); v->usd = mg_f64_in();
	if (mg_u32_in() != mg_pools) __builtin_trap();
	for (mg_u32 i = 0; i < mg_pools; i++) v->price[i] = mg_f64_in();
	v->jobs = mg_u32_in();
	if (v->jobs > MG_JOBS) __builtin_trap();
	mg_wanted.again = 0; mg_wanted.wake_s = __builtin_nan(""); mg_wanted.because = ""; mg_wanted.wait_for = 0; mg_wanted.conditions = 0;
	for (mg_u32 i = 0; i < v->jobs; i++) {
		mg_read_job(&v->job[i]);
		mg_job_plan *p = &mg_wanted.job[i];
		p->pipelines = p->stages = p->workers = p->servers = -1;
		p->across_zones = p->drain = p->restart = -1;
		p->save = p->refill = p->holds = 0;
	}
	mg_decide(v, &mg_wanted);
	mg_write_plan();
	return (mg_u64)(mg_u32)mg_out << 32 | (mg_u64)(mg_to - mg_out);
}

#endif
