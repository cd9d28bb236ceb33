import {
  type AgentId,
  type AttachmentId,
  agentOrderSchemas,
  type ExecutionCommandEvent,
  type JobId,
  type WorkflowId,
} from '@tutti/manifests';
import { describe, expect, test } from 'vitest';
import { createValidator } from '../../http/validate.ts';
import { createAgent } from './agents/create-agent.ts';
import type { Agent } from './jobs/agent.ts';
import { type Command, createCommand } from './jobs/command.ts';
import { createSession } from './jobs/job-session.ts';
import { LIMITS } from './jobs/limits.ts';
import { createTransfer, type Transfer } from './jobs/transfer.ts';
import type { OwnAgent } from './own/own-agent.ts';

const schema = createValidator({ anyOf: Object.values(agentOrderSchemas) });
const NOW = 1_000_000;
const ID = 'job/0';

const WORDS = ['bash', 'job_0.sh'];
const REMOVAL = { directory: 'job', prefix: 'job_', suffix: '.sh' };

/** `new` is one of which the mode is not known; `operated`, one that an operator speaks for. */
type Kind = 'ours' | 'old' | 'sync' | 'async' | 'new' | 'operated';

function agentOf(kind: Kind): Agent {
  const metadata = { name: 'a', ...(kind === 'old' ? {} : { version: '2.0' }) };
  const place = kind === 'operated' ? {} : { script_path: '/tmp' };
  const spec = { tags: ['linux'], ...place, ...(kind === 'ours' ? { protocol: 'tutti.v1' } : {}) };
  const registration = { apiVersion: 'v1', kind: 'AgentRegistration', metadata, spec } as const;
  const at = '2026-01-31T12:00:00.000000' as Agent['createdAt'];
  const agent = createAgent('agent' as AgentId, { registration, createdAt: at }, NOW);
  if (kind === 'async') agent.note({ isAsync: true });
  if (kind === 'sync') agent.rhythm.mode = 'synchronous';
  return agent;
}

function commandOf(kind: Kind, sequence = 0): Command {
  const event = { metadata: { job_id: 'job', step_sequence_id: sequence } };
  const script = {
    filename: 'job_0.sh',
    content: 'true',
    command: 'bash job_0.sh',
    words: WORDS,
    variablesPath: '/tmp/job.sh',
    directory: sequence < 0 ? null : 'job',
    workspace: sequence < 0 ? null : 'job',
    removal: sequence < 0 ? REMOVAL : null,
  };
  // Orders are made of nothing else of the event.
  const command = event as unknown as ExecutionCommandEvent;
  return createCommand(command, script, kind === 'old' ? ('script' as AttachmentId) : null);
}

interface Scene {
  readonly kind: Kind;
  readonly command?: Partial<Command> | null;
  readonly agent?: Partial<OwnAgent>;
  readonly poll?: { readonly last?: string; readonly running?: string };
  readonly sequence?: number;
}

function play({ kind, command = {}, agent: more = {}, poll = {}, sequence }: Scene) {
  const agent = Object.assign(agentOf(kind), more);
  const session = createSession(agent, {
    workflowId: 'run' as WorkflowId,
    jobId: 'job' as JobId,
    masks: [],
  });
  if (command !== null) session.begin(Object.assign(commandOf(kind, sequence), command));
  Object.assign(agent, { session });
  const said = { last: poll.last ?? null, running: poll.running ?? null };
  const handout = agent.nextOrder(said, NOW);
  return { agent, command: session.command, handout, order: handout?.order ?? null };
}

const run = {
  kind: 'run',
  command_id: ID,
  filename: 'job_0.sh',
  content: 'true',
  command: 'bash job_0.sh',
  variables_path: '/tmp/job.sh',
};
const ownRun = {
  ...run,
  words: WORDS,
  directory: 'job',
  batches_under_way: 3,
  output_bytes: true,
};
const exec = { kind: 'exec', command: 'bash job_0.sh', variables_path: '/tmp/job.sh' };
const put = { kind: 'put', file_id: 'script', path: 'job_0.sh', root: '' };
const cancel = { kind: 'cancel', command_id: ID };
const get = { kind: 'get', file_id: 'file', path: '/tmp/a' };
const file = (more: object = {}) =>
  Object.assign(createTransfer('file' as AttachmentId, '/tmp/a', { kind: 'variables' }), more);
const outgoing = (more: object = {}) =>
  Object.assign(
    createTransfer('out' as AttachmentId, 'job/b', {
      kind: 'put',
      asked: 'b',
      blob: 'in_0',
      failure: String,
    }),
    more,
  );
const putFile = { kind: 'put', file_id: 'out', path: 'job/b', root: 'workspace' };
const sent = (ago: number, more: object = {}) =>
  file({ phase: 'sent', sends: 1, sentAtMs: NOW - ago, ...more });

describe('our own agents', () => {
  test.each<[string, Omit<Scene, 'kind'>, object | null]>([
    ['no command', { command: null }, null],
    ['a command that waits', {}, ownRun],
    ['a command that was given and not taken', { command: { phase: 'running' } }, ownRun],
    ['a command that was taken', { poll: { last: ID, running: ID } }, null],
    ['a command that was taken and ended', { poll: { last: ID } }, null],
    [
      'an older command whose result came',
      { agent: { lastResult: 'job/9' }, poll: { last: 'job/9', running: 'job/9' } },
      ownRun,
    ],
    [
      'a stranger',
      { poll: { last: 'x/0', running: 'x/0' } },
      { kind: 'cancel', command_id: 'x/0' },
    ],
    [
      'a stranger, no command',
      { command: null, poll: { running: 'x/0' } },
      { kind: 'cancel', command_id: 'x/0' },
    ],
    [
      'a stranger that was just told',
      { agent: { strayStop: { commandId: 'x/0', atMs: NOW - 1 } }, poll: { running: 'x/0' } },
      null,
    ],
    [
      'a stranger that does not hear',
      {
        agent: { strayStop: { commandId: 'x/0', atMs: NOW - LIMITS.cancelResendMs } },
        poll: { running: 'x/0' },
      },
      { kind: 'cancel', command_id: 'x/0' },
    ],
    [
      'a command to stop',
      { command: { phase: 'running', cancelAskedAtMs: NOW }, poll: { last: ID, running: ID } },
      cancel,
    ],
    [
      'a command to stop that was not taken',
      { command: { phase: 'running', cancelAskedAtMs: NOW } },
      null,
    ],
    [
      'a command that was just told to stop',
      {
        command: { phase: 'running', cancelAskedAtMs: NOW, cancelSentAtMs: NOW - 1 },
        poll: { last: ID },
      },
      null,
    ],
    [
      'files to fetch',
      { command: { phase: 'collecting', transfers: [file()] }, poll: { last: ID } },
      get,
    ],
    [
      'files that were told',
      { command: { phase: 'collecting', transfers: [sent(1), file()] }, poll: { last: ID } },
      get,
    ],
    ['nothing more to fetch', { command: { phase: 'collecting' }, poll: { last: ID } }, null],
  ])('%s', (_what, scene, expected) => {
    expect(play({ kind: 'ours', ...scene }).order).toEqual(expected);
    if (expected !== null) expect(schema.problems(expected)).toEqual([]);
  });

  test('nothing is given once only, as they tell what they have', () => {
    expect(play({ kind: 'ours' }).handout?.isOnce).toBe(false);
  });

  test('a release has no variables', () => {
    expect(play({ kind: 'ours', sequence: -2 }).order).not.toHaveProperty('variables_path');
  });
});

describe('existing agents', () => {
  test.each<[string, Scene, object | null]>([
    ['no command', { kind: 'sync', command: null }, null],
    ['a command for one that takes scripts', { kind: 'sync' }, run],
    ['a command for an old one', { kind: 'old' }, put],
    ['a script that was not fetched', { kind: 'old', command: { scriptSends: 1 } }, put],
    [
      'a script that was fetched',
      { kind: 'old', command: { scriptSends: 1, scriptFetched: true } },
      exec,
    ],
    [
      'a script that is never fetched',
      { kind: 'old', command: { scriptSends: LIMITS.scriptSends } },
      exec,
    ],
    ['a command that runs', { kind: 'sync', command: { phase: 'running' } }, null],
    [
      'a command to stop, synchronous',
      { kind: 'sync', command: { phase: 'running', cancelAskedAtMs: NOW } },
      null,
    ],
    [
      'a command to stop, asynchronous',
      { kind: 'async', command: { phase: 'running', cancelAskedAtMs: NOW } },
      cancel,
    ],
    [
      'a command to stop, of one that asks though it has a command',
      { kind: 'new', command: { phase: 'running', cancelAskedAtMs: NOW } },
      cancel,
    ],
    [
      'a command to stop, of one that was told so',
      {
        kind: 'new',
        command: {
          phase: 'running',
          cancelAskedAtMs: NOW,
          cancelSentAtMs: NOW - 2 * LIMITS.cancelResendMs,
        },
      },
      null,
    ],
    [
      'a command to stop, of one that knows no such order',
      { kind: 'old', command: { phase: 'running', cancelAskedAtMs: NOW } },
      null,
    ],
    [
      'a command to stop, of an operator',
      { kind: 'operated', command: { phase: 'running', cancelAskedAtMs: NOW } },
      null,
    ],
    ['a command left behind, synchronous', { kind: 'sync', agent: { abandoned: 'job/9' } }, run],
    ['a command left behind, asynchronous', { kind: 'async', agent: { abandoned: 'job/9' } }, null],
    [
      'files to fetch',
      { kind: 'sync', command: { phase: 'collecting', transfers: [file()] } },
      get,
    ],
    [
      'files, one at a time',
      { kind: 'sync', command: { phase: 'collecting', transfers: [sent(1), file()] } },
      null,
    ],
    [
      'a file that goes there',
      { kind: 'sync', command: { phase: 'collecting', transfers: [outgoing()] } },
      putFile,
    ],
    [
      'a file that was not heard of',
      {
        kind: 'sync',
        command: { phase: 'collecting', transfers: [sent(LIMITS.transferResendMs)] },
      },
      get,
    ],
    [
      'a file that is on its way',
      {
        kind: 'sync',
        command: {
          phase: 'collecting',
          transfers: [sent(LIMITS.transferResendMs, { moves: 1 })],
        },
      },
      null,
    ],
    [
      'a file that was told often',
      {
        kind: 'sync',
        command: {
          phase: 'collecting',
          transfers: [sent(LIMITS.transferResendMs, { sends: LIMITS.transferSends })],
        },
      },
      null,
    ],
  ])('%s', (_what, scene, expected) => {
    expect(play(scene).order).toEqual(expected);
    if (expected !== null) expect(schema.problems(expected)).toEqual([]);
  });

  test.each<[Kind, Partial<Command>]>([
    ['sync', {}],
    ['old', { scriptFetched: true }],
  ])('a command of one that is %s is given once only', (kind, command) => {
    expect(play({ kind, command }).handout?.isOnce).toBe(true);
  });
});

test.each<[what: string, transfers: readonly Transfer[], order: object | null]>([
  ['files that come are asked for together', [sent(1), file()], get],
  ['files that go are told together', [outgoing({ phase: 'sent' }), outgoing()], putFile],
  ['a file that goes waits for those that come before it', [sent(1), outgoing()], null],
  [
    'a file that comes waits for those that go before it',
    [outgoing({ phase: 'sent' }), file()],
    null,
  ],
])('of one of our own agents, %s', (_what, transfers, order) => {
  expect(play({ kind: 'ours', command: { phase: 'collecting', transfers } }).order).toEqual(order);
});

describe('orders that are taken back', () => {
  test('a command waits again', () => {
    const { handout, command } = play({ kind: 'sync' });
    expect(command?.phase).toBe('running');
    handout?.takeBack();
    expect(command?.phase).toBe('waiting');
  });

  test('a command that ended meanwhile stays as it is', () => {
    const { handout, command } = play({ kind: 'sync' });
    command?.endSilently({ exitStatus: 0 });
    handout?.takeBack();
    expect(command?.phase).toBe('collecting');
  });

  test('a stop is told again', () => {
    const stop = { phase: 'running', cancelAskedAtMs: NOW } as const;
    const { handout, command } = play({ kind: 'async', command: stop });
    expect(command?.cancelSentAtMs).toBe(NOW);
    handout?.takeBack();
    expect(command?.cancelSentAtMs).toBeNull();
  });

  test('a stranger is told again', () => {
    const { handout, agent } = play({ kind: 'ours', poll: { running: 'x/0' } });
    handout?.takeBack();
    expect(agent.strayStop).toBeNull();
  });

  test('a file is asked for again', () => {
    const transfers = [file()];
    const { handout } = play({ kind: 'ours', command: { phase: 'collecting', transfers } });
    expect(transfers[0]).toMatchObject({ phase: 'sent', sentAtMs: NOW, sends: 1 });
    handout?.takeBack();
    expect(transfers[0]?.phase).toBe('queued');
  });
});

test.each<[Partial<Command>, string | null, boolean]>([
  [{ cancelAskedAtMs: NOW }, null, true],
  [{ cancelAskedAtMs: NOW, phase: 'running' }, 'job/9', true],
  [{ cancelAskedAtMs: NOW, phase: 'running' }, ID, false],
  [{ cancelAskedAtMs: NOW, phase: 'collecting' }, null, false],
  [{ cancelAskedAtMs: null }, null, false],
])('a command like %o, after a poll that names %o, need not begin: %o', (more, last, expected) => {
  const command = Object.assign(commandOf('ours'), more);
  expect(agentOf('ours').isStoppedBefore(command, { last, running: null })).toBe(expected);
});
