import { UnreachableError } from '@tutti/client';
import { OrchestratorError } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { NoDirectoryServerError } from './directory-server.ts';
import { problemOf, renderProblem, UsageError } from './problem.ts';

const refused = (code: string) =>
  new UnreachableError('http://host:1/x', 'connection', 'the connection failed', {
    cause: { code },
  });

const ofData = (dataDir: string, isNamed: boolean) =>
  new UnreachableError(
    'http://host:1/x',
    'connection',
    'the connection failed',
    new NoDirectoryServerError({ dataDir, isNamed }, { code: 'ECONNREFUSED' }),
  );

const SILENCE = new DOMException('The operation was aborted.', 'TimeoutError');

test.each<[error: unknown, text: string]>([
  [
    ofData('my data', false),
    'tutti: No server runs in the data directory my data, and none can be reached at http://host:1, where it would be by default.\n' +
      '  Nothing listens there.\n' +
      'What to do: start it with "tutti server --data-dir \'my data\'", or name another one with --server or TUTTI_SERVER.\n',
  ],
  [
    ofData('/srv/tutti', true),
    'tutti: The server of the data directory /srv/tutti cannot be reached at http://host:1.\n' +
      '  Nothing listens there.\n' +
      'What to do: start it with "tutti server --data-dir /srv/tutti", or name another one with --server or TUTTI_SERVER.\n',
  ],
  [new UsageError('Wrong.'), 'tutti: Wrong.\n'],
  [new UsageError('Wrong.', 'do it right.'), 'tutti: Wrong.\nWhat to do: do it right.\n'],
  [
    new OrchestratorError('Invalid', 'Not a valid workflow.', {
      details: { error: 'jobs: missing\n\nneeds: unknown', scope: { a: 1 } },
    }),
    'tutti: Not a valid workflow.\n  jobs: missing\n  needs: unknown\n  scope: {"a":1}\nWhat to do: correct what is named above, then try again.\n',
  ],
  [
    new OrchestratorError('Invalid', 'Not valid: jobs: missing.', {
      details: { error: 'jobs: missing' },
    }),
    'tutti: Not valid: jobs: missing.\nWhat to do: correct what is named above, then try again.\n',
  ],
  [
    new OrchestratorError('Invalid', 'Not valid: port: wrong; host: wrong.', {
      details: { error: 'port: wrong\nhost: wrong' },
    }),
    'tutti: Not valid:\n  port: wrong\n  host: wrong\nWhat to do: correct what is named above, then try again.\n',
  ],
  [
    new OrchestratorError('Invalid', 'Input "n": no number. (and 1 more)', {
      details: { error: 'Input "n": no number.\nInput "a": not provided.' },
    }),
    'tutti: Input "n": no number. (and 1 more)\n  Input "a": not provided.\nWhat to do: correct what is named above, then try again.\n',
  ],
  [
    new OrchestratorError('Invalid', '[SCOPE ERROR] Invalid conditional a ==: wrong.', {
      details: { scope_error: '[SCOPE ERROR] Invalid conditional a ==: wrong.', other: 1 },
    }),
    'tutti: [SCOPE ERROR] Invalid conditional a ==: wrong.\n  other: 1\nWhat to do: correct what is named above, then try again.\n',
  ],
  [
    Object.assign(new Error('x'), { code: 'EACCES', syscall: 'mkdir', path: '/data' }),
    'tutti: Cannot make the directory /data: this account has no right to.\nWhat to do: choose another path, or see to it that this account may use this one.\n',
  ],
  [new OrchestratorError('Conflict', 'Taken.'), 'tutti: Taken.\n'],
  [
    new OrchestratorError('NotFound', 'Workflow 1 not found.'),
    'tutti: Workflow 1 not found.\nWhat to do: see which workflows there are with "tutti workflows".\n',
  ],
  [
    new OrchestratorError('NotFound', 'Agent 1 not known.'),
    'tutti: Agent 1 not known.\nWhat to do: see which agents there are with "tutti agents".\n',
  ],
  [
    new OrchestratorError('NotFound', 'Subscription 1 not known.'),
    'tutti: Subscription 1 not known.\nWhat to do: see which subscriptions there are with "tutti subscriptions -o wide".\n',
  ],
  ...(['NotFound', 'MethodNotAllowed'] as const).map((reason): [unknown, string] => [
    new OrchestratorError(reason, 'No such path: /agents/1/queue'),
    'tutti: No such path: /agents/1/queue\nWhat to do: use a newer server: this one cannot do that. "tutti version --server URL" shows its version.\n',
  ]),
  [
    refused('ECONNREFUSED'),
    'tutti: The server http://host:1 cannot be reached.\n  Nothing listens there.\nWhat to do: start a server with "tutti server", or name another one with --server or TUTTI_SERVER.\n',
  ],
  [
    refused('ESTRANGE'),
    'tutti: The server http://host:1 cannot be reached.\n  ESTRANGE\nWhat to do: start a server with "tutti server", or name another one with --server or TUTTI_SERVER.\n',
  ],
  ...['EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER'].map((code): [unknown, string] => [
    refused(code),
    'tutti: The server http://host:1 cannot be reached.\n  It does not answer in TLS.\nWhat to do: name it with http:// in place of https://, or see to it that it has TLS.\n',
  ]),
  [
    new UnreachableError('http://host:1/x', 'connection', 'no answer in time', SILENCE),
    'tutti: The server http://host:1 cannot be reached.\n  It takes connections, and does not answer in time.\nWhat to do: try again in a while; if that stays so, look into the log of that server, or name another one with --server or TUTTI_SERVER.\n',
  ],
  [
    new UnreachableError('http://host:1/x', 'answer', 'answered 502, which is no Status manifest'),
    'tutti: http://host:1 does not answer as an orchestrator does.\n  http://host:1/x: answered 502, which is no Status manifest\nWhat to do: check the address given with --server or TUTTI_SERVER; a proxy on the way may be the one that answers.\n',
  ],
  [
    'a text',
    'tutti: Something unexpected happened: a text\nWhat to do: call it again with --debug, which shows where it comes from, and report what it says.\n',
  ],
  [
    new TypeError('x is no function'),
    'tutti: Something unexpected happened: x is no function\nWhat to do: call it again with --debug, which shows where it comes from, and report what it says.\n',
  ],
])('%#: a problem has a message, its reason and advice', (error, text) => {
  expect(renderProblem(problemOf(error))).toBe(text);
});

test('names in problems do not change the direction of a line', () => {
  expect(renderProblem({ what: 'No "\u2066x".', why: ['a\u202eb'], next: null })).toBe(
    'tutti: No "\\u2066x".\n  a\\u202Eb\n',
  );
});
