/** Decides on starts of runs by the load of the server. */
import { systemTimers } from './bus/timers.ts';
import type { AgentChannel } from './plugins/agentchannel/agentchannel.ts';
import type { Clock } from './runtime/clock.ts';
import type { ServerConfig } from './runtime/config.ts';
import type { Meters } from './runtime/meters.ts';
import { createRecentRate } from './runtime/recent-rate.ts';
import { createThreadLoad } from './runtime/thread-load.ts';
import type { Arranger } from './services/arranger/arranger.ts';
import { StartAdmission } from './services/receptionist/start-admission.ts';
import { areSlow } from './services/receptionist/start-decision.ts';

interface Admitting {
  readonly config: Pick<ServerConfig, 'limits'>;
  readonly arranger: Arranger;
  readonly channel: AgentChannel;
  readonly clock: Clock;
  readonly meters: Meters;
}

export function admissionOf({
  config,
  arranger,
  channel,
  clock,
  meters,
}: Admitting): StartAdmission {
  const rateOf = (count: () => number) => createRecentRate({ now: clock.monotonicMs, count });
  const results = rateOf(() => meters.commandSeconds.count);
  const resultSeconds = rateOf(() => meters.commandSeconds.sum);
  const turns = rateOf(() => performance.nodeTiming.uvMetricsInfo.loopCount);
  const work = () => ({
    results: results.perSecond(),
    resultSeconds: resultSeconds.perSecond(),
    turns: turns.perSecond(),
  });
  return new StartAdmission({
    runs: arranger,
    load: createThreadLoad(),
    ended: rateOf(() => meters.runsEnded.total),
    isForAgents: () => channel.context.agents.size === 0 || areSlow(work()),
    limits: config.limits,
    clock,
    timers: systemTimers,
  });
}
