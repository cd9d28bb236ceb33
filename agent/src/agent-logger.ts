/** The log of the agent: one line per event, with facts for machines beside it. */
export interface AgentLogger {
  info(message: string, facts?: LogFacts): void;
  warn(message: string, facts?: LogFacts): void;
  error(message: string, facts?: LogFacts): void;
}

export type LogFacts = Readonly<Record<string, unknown>>;

export const silentLogger: AgentLogger = {
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** The text of anything that was thrown; connection errors of several addresses have an empty message of their own. */
export function describeError(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) {
    return error.errors.map(describeError).join('; ');
  }
  return error instanceof Error ? error.message : String(error);
}
