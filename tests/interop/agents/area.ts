/** What agents of all ages do with our server. */
import type { Subject } from '../subjects.ts';

export interface AgentSubject extends Subject {
  readonly options: readonly string[];
  /** It knows `--namespaces`, and says why a token is refused. */
  readonly isSecond: boolean;
  readonly isAsync: boolean;
}

const FIRST: AgentSubject = {
  program: 'opentf-agent',
  version: '1.0.0',
  options: [],
  isSecond: false,
  isAsync: false,
};
const LAST: AgentSubject = { ...FIRST, version: '1.7.0', isSecond: true };
/** The last one that knows scripts and the asynchronous mode. */
const NIGHTLY: AgentSubject = {
  ...LAST,
  program: 'opentf-agent-nightly',
  version: '2.0.0.dev263',
};
const ASYNC: AgentSubject = { ...NIGHTLY, mode: '--async', options: ['--async'], isAsync: true };
const NEWEST: AgentSubject = { ...NIGHTLY, version: '2.0.0.dev277' };

export const AGENTS = {
  title: 'Agents',
  subjects: [FIRST, LAST, NIGHTLY, ASYNC, NEWEST],
  features: [{ text: 'runs the steps of a job, and tells their output and exit codes' }],
};
