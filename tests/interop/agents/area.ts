/** Features of existing agents of all versions on our server. */
import type { Subject } from '../subjects.ts';

export interface AgentSubject extends Subject {
  readonly options: readonly string[];
}

const FIRST: AgentSubject = { program: 'opentf-agent', version: '1.0.0', options: [] };
const LAST: AgentSubject = { ...FIRST, version: '1.7.0' };
/** The last nightly one that is given scripts with its commands and has an asynchronous mode. */
const SCRIPTED: AgentSubject = {
  program: 'opentf-agent-nightly',
  version: '2.0.0.dev263',
  options: [],
};
const ASYNC: AgentSubject = { ...SCRIPTED, mode: '--async', options: ['--async'] };
const NEWEST: AgentSubject = { ...SCRIPTED, version: '2.0.0.dev277' };

const SYNCHRONOUS = [FIRST, LAST, SCRIPTED, NEWEST];

/** Time after which the server counts an agent as gone. */
const AGAIN =
  'ten seconds after the agent registered again. If it does not, the step fails once the agent has been silent for its `--liveness_probe`, else for `agents.livenessSeconds` (300), in synchronous mode for `agents.synchronousLivenessSeconds` (3600).';

export const AGENTS = {
  title: 'Agents',
  subjects: [FIRST, LAST, SCRIPTED, ASYNC, NEWEST],
  features: [
    { text: 'runs the steps of a job, and tells their output and exit codes' },
    { text: 'carries variables and outputs from step to step' },
    {
      text: 'sends attachments byte for byte, also empty ones and those with blanks in their names',
    },
    { text: 'uploads files in one job, and downloads them in the next' },
    { text: 'gets the resource files of its workflow' },
    { text: 'is asked for a file that is not there, and its step fails with a line that says so' },
    {
      text: 'ends its step, and gets no further one, when its workflow is cancelled',
      without: [ASYNC],
    },
    {
      text: 'stops its step at once when its workflow is cancelled',
      without: SYNCHRONOUS,
      note: 'the agent ends the shell of the step. A program of the shell may go on, and the run waits a minute for it.',
    },
    { text: 'shows what a step prints while it runs', without: SYNCHRONOUS },
    { text: 'works in folders with blanks in their names' },
    {
      text: 'reads what steps print in the encoding that it is told',
      without: [ASYNC],
      note: 'in asynchronous mode it takes all output for UTF-8, whatever `--encoding` says.',
    },
    { text: 'works behind a path prefix' },
    {
      text: 'takes a certificate that nobody vouches for, only if it is told to',
      without: [FIRST],
    },
    { text: 'is told that it needs a token, and ends with 2' },
    {
      text: 'runs jobs without a token where none is needed, and ends with 2 with a wrong one',
      note: 'a server of one machine can be configured so, with `auth.insecureLogin`.',
    },
    { text: 'works with a token for its namespaces alone', without: [FIRST] },
    { text: 'gets jobs of its namespaces, and of no other', without: [FIRST] },
    { text: 'is unreachable when it is silent for longer than its liveness probe' },
    { text: 'de-registers when it is interrupted, and ends with 0' },
    { text: 'works on when the server is killed and started again' },
    { text: 'ends a step that ran while the server was killed and started again' },
    {
      text: 'ends a step while the server is away, and sends its result later',
      without: [FIRST, LAST],
    },
    {
      text: 'loses the result of a step that ends while the server is away, and the step fails with a line that says so',
      without: [SCRIPTED, ASYNC, NEWEST],
      note: AGAIN,
    },
    { text: 'registers anew with a server that does not know it' },
    {
      text: 'is killed under a step, which fails, and works again when it is started again',
      note: AGAIN,
    },
  ],
};
