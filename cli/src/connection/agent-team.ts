/**
 * The agents of a host. Each takes milliseconds to start, and most runs need one, so the start waits only for the first. Each
 * agent that begins its first command starts two more, so that one is free until all run.
 */
import type { Agent } from '@tutti/agent';

export interface AgentTeam {
  /** Resolves when the first agent runs. */
  start(): Promise<void>;
  /** Waits for the running commands. */
  stop(): Promise<void>;
  /** Kills the running commands at once. */
  kill(): void;
}

/** `create` gets the callback for the first command of the agent. */
export function createAgentTeam(
  count: number,
  create: (index: number, onCommand: () => void) => Agent,
): AgentTeam {
  const started = new Map<number, Agent>();
  let isStopping = false;
  const start = async (index: number): Promise<void> => {
    if (isStopping || index >= count || started.has(index)) return;
    const agent = create(index, () => startAfter(index));
    started.set(index, agent);
    await agent.start();
  };
  const startAfter = (index: number): void => {
    // A run that needs them waits no longer for them than they take.
    for (const next of [2 * index + 1, 2 * index + 2]) start(next).catch(() => undefined);
  };
  return {
    start: () => start(0),
    async stop() {
      isStopping = true;
      await Promise.all([...started.values()].map((agent) => agent.stop()));
    },
    kill() {
      for (const agent of started.values()) agent.kill();
    },
  };
}
