"""The rules of Gymnasium's checker, by hand, for environments of one job and of a cluster: gymrules.py SPEC... . With "checker" instead of
specs: Gymnasium's own checker, exit status 3 where Gymnasium is not installed."""

import copy
import math
import sys

import marigram

if sys.argv[1:] == ["checker"]:
    try:
        import gymnasium
        from gymnasium.utils.env_checker import check_env
    except ImportError as e:
        print(e)
        raise SystemExit(3)
    for name in ("marigram/Spot-v0", "marigram/Cluster-v0"):
        check_env(gymnasium.make(name).unwrapped, skip_render_check=True)
    raise SystemExit(0)


def episode(env, seed, actions):
    """Checks every step of an episode, and returns what was seen and earned."""
    seen, info = env.reset(seed=seed)
    story = [list(seen)]
    while True:
        assert env.observation_space.contains(seen), seen
        assert isinstance(info, dict) and info["end"] in ("running", "met", "late", "lost", "truncated")
        before = copy.copy(list(seen))
        action = actions[len(story) % len(actions)]
        assert env.action_space.contains(action), action
        after, reward, terminated, truncated, info = env.step(action)
        assert list(seen) == before, "an observation of before changes"
        assert isinstance(reward, float) and math.isfinite(reward), reward
        assert type(terminated) is bool and type(truncated) is bool and not (terminated and truncated)
        assert (info["end"] == "running") == (not terminated and not truncated)
        seen = after
        story.append([*seen, reward])
        if terminated or truncated:
            return story


for spec in sys.argv[1:]:
    env = marigram.Env(spec, step_s=1800, **({"slots": 4} if "cluster" in spec else {}))
    for space in (env.observation_space, env.action_space):
        space.seed(7)
        drawn = [list(space.sample()) for _ in range(3)]
        space.seed(7)
        assert drawn == [list(space.sample()) for _ in range(3)] and all(space.contains(x) for x in drawn), "samples of a seed differ, or lie outside"
    env.action_space.seed(1)
    actions = [env.action_space.sample() for _ in range(50)]
    first = episode(env, 3, actions)
    assert first == episode(env, 3, actions), "two episodes of a seed differ"
    assert first != episode(env, 4, actions), "episodes of two seeds do not differ"
    if "cluster" not in spec:
        seen, _ = env.reset(seed=3)
        seen[0] = 1.0  # an array of the caller's
    env.close()

many = marigram.VectorEnv(3, step_s=1800)
assert many.num_envs == 3 and many.single_observation_space.shape == (len(many.fields),)
many.single_action_space.seed(1)
seen, info = many.reset(seed=5)
for _ in range(60):
    assert len(seen) == 3 and all(many.single_observation_space.contains(x) for x in seen)
    for name in ("usd", "start_s", "end"):
        assert len(info[name]) == 3 and list(info["_" + name]) == [True] * 3
    seen, rewards, terminated, truncated, info = many.step([many.single_action_space.sample() for _ in range(3)])
    assert len(rewards) == len(terminated) == len(truncated) == 3 and not any(a and b for a, b in zip(terminated, truncated))
many.close()
