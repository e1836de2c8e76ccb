"""RLlib: environment runners that sample whole arrays."""
from __future__ import annotations

from typing import Any

import numpy as np

from .find import needs


def _runner() -> Any:
    single = needs("ray.rllib.env.single_agent_env_runner", "'ray[rllib]'")
    episodes = needs("ray.rllib.env.single_agent_episode", "'ray[rllib]'")
    torch = needs("torch", "torch")

    class BatchEnvRunner(single.SingleAgentEnvRunner):  # type: ignore[misc, name-defined]
        """One pass of the policy and one step of all worlds at a time; episodes are cut from the arrays at the end.

        Whole numbers of steps alone (batch mode "truncate_episodes"); connectors that change observations are not applied.
        """

        _row: Any = None                   # observations and whether the last step ended an episode
        _ids: list[Any]
        _needs_initial_reset: bool

        def _sample(self, *, num_timesteps: Any = None, num_episodes: Any = None, explore: Any = None, random_actions: bool = False,
                    force_reset: bool = False) -> Any:
            if num_timesteps is None or random_actions:
                self._row = None           # the worlds go on elsewhere
                return super()._sample(num_timesteps=num_timesteps, num_episodes=num_episodes, explore=explore, random_actions=random_actions,
                                       force_reset=force_reset)
            vector = self.env.unwrapped
            count, steps = vector.num_envs, -(-num_timesteps // vector.num_envs)
            if force_reset or self._needs_initial_reset or self._row is None:
                first, _ = vector.reset(seed=self._seed if self._needs_initial_reset else None)
                self._row = (np.asarray(first, np.float32), np.zeros(count, np.bool_))
                self._ids = [None] * count
                self._ongoing_episodes_for_metrics.clear()
                self._needs_initial_reset = False
            rows = self._collect(vector, steps, explore)
            given, taken = [], 0
            for i in range(count):
                for episode in self._pieces(rows, i):
                    taken += len(episode)
                    given.append(episode)
            finished = [episode for episode in given if episode.is_done]
            self._done_episodes_for_metrics.extend(finished)
            for episode in given:
                if not episode.is_done:
                    self._ongoing_episodes_for_metrics[episode.id_].append(episode)
            self._log_env_steps(metric=self._metrics_num_env_steps_sampled, num_steps=taken)
            self._increase_sampled_metrics(taken, len(finished))
            return given

        def _collect(self, vector: Any, steps: int, explore: bool) -> dict[str, Any]:
            """Arrays (steps, worlds, ...); with Gymnasium's autoreset a step after an end is a reset, and `fresh`."""
            observation, fresh = self._row
            space, rows = vector.single_action_space, {}  # type: ignore[var-annotated]
            low, high = space.low, space.high
            scaled = self.config.normalize_actions and np.isfinite(low).all() and np.isfinite(high).all()
            module = self.module.unwrapped()
            kind = module.get_exploration_action_dist_cls() if explore else module.get_inference_action_dist_cls()
            forward = self.module.forward_exploration if explore else self.module.forward_inference
            keys = ("observation", "action", "logp", "inputs", "reward", "terminated", "truncated", "fresh")
            rows = {key: [] for key in keys}
            for _ in range(steps):
                with torch.no_grad():
                    inputs = forward({"obs": torch.from_numpy(observation)})["action_dist_inputs"]
                    chosen = kind.from_logits(inputs)
                    action = (chosen if explore else chosen.to_deterministic()).sample()
                    logp = chosen.logp(action)
                action = action.numpy()
                clipped = low + (np.clip(action, -1, 1) + 1) / 2 * (high - low) if scaled else np.clip(action, low, high)
                after, reward, terminated, truncated, _ = vector.step(clipped.astype(space.dtype))
                for key, item in zip(keys, (observation, action, logp.numpy(), inputs.numpy(), reward, terminated, truncated, fresh)):
                    rows[key].append(item)
                observation, fresh = np.asarray(after, np.float32), terminated | truncated
            rows["observation"].append(observation)
            self._row = (observation, fresh)
            return {key: np.array(row) for key, row in rows.items()}

        def _pieces(self, rows: dict[str, Any], i: int) -> Any:
            """Episodes, and parts of them, of a world."""
            done = rows["terminated"][:, i] | rows["truncated"][:, i]
            last, begin = len(done) - 1, int(rows["fresh"][0, i])
            if begin:
                self._ids[i] = None
            for end in [*np.flatnonzero(done).tolist(), last]:
                if end < begin:
                    continue
                part = slice(begin, end + 1)
                episode = episodes.SingleAgentEpisode(
                    id_=self._ids[i], observations=rows["observation"][begin:end + 2, i], actions=rows["action"][part, i], rewards=rows["reward"][part, i],
                    terminated=bool(rows["terminated"][end, i]), truncated=bool(rows["truncated"][end, i]), infos=[{}] * (end - begin + 2), len_lookback_buffer=0,
                    extra_model_outputs={"action_logp": rows["logp"][part, i], "action_dist_inputs": rows["inputs"][part, i],
                                         single.WEIGHTS_SEQ_NO: np.full(end - begin + 1, self._weights_seq_no)},
                    observation_space=self.env.single_observation_space, action_space=self.env.single_action_space)
                self._ids[i] = None if episode.is_done else episode.id_
                yield episode.to_numpy()
                begin = end + 2                    # the step after an end is a reset
                if begin > last:
                    break

    return BatchEnvRunner


def rllib_ppo(name: str, worlds: int = 64, runners: int = 0, **options: Any) -> Any:
    """A configuration of RLlib's PPO whose environment runners step `worlds` worlds of a task as arrays; options of the task.

        algorithm = adapters.rllib_ppo("Hopper-v5", worlds=64, runners=2).training(lr=3e-4).build_algo()

    runners: processes that sample, 0 for none but the algorithm's own
    """
    config = needs("ray.rllib.algorithms.ppo", "'ray[rllib]'").PPOConfig()
    registry = needs("ray.tune.registry", "'ray[rllib]'")

    def create(context: Any) -> Any:
        from ..registration import make, make_one
        count = context.get("num_envs") if hasattr(context, "get") else None
        return make(name, count, infos=False, **options) if count else make_one(name, **options)

    registry.register_env(f"cortenforge-{name}", create)
    return (config.environment(f"cortenforge-{name}")
            .env_runners(env_runner_cls=_runner(), num_env_runners=runners, num_envs_per_env_runner=worlds, gym_env_vectorize_mode="vector_entry_point"))
