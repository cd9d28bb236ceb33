export { type Agent, type AgentHandle, createAgent, runAgent, type StopOptions } from './agent.ts';
export type { AgentLogger, LogFacts } from './agent-logger.ts';
export type { AgentOptions } from './agent-options.ts';
export type { TlsOptions } from './connection/http-connection.ts';
export { DEFAULT_USERS, parseUserRange } from './jobs/job-users.ts';
export { createProcessLender, type ProcessLender } from './processes/process-lender.ts';
export { createSlots, type Offer } from './slots.ts';
export { AGENT_VERSION } from './version.ts';
