/**
 * The agents of a host. Each takes milliseconds to be there, and most runs need one: the first is waited for, and each that begins its first command has
 * two more begin. So there is one that is free as long as there are more.
 */
import type { Agent } from '@tutti/agent';

export interface AgentTeam {
  /** Resolves when the first one is there. */
  start(): Promise<void>;
  /** Waits for what they run. */
  stop(): Promise<void>;
  /** Ends what they run at once. */
  kill(): void;
}

/** `create` gets what is to be called when the agent begins a command. */
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
