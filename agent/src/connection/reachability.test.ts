import { expect, test } from 'vitest';
import { silentLogger } from '../agent-logger.ts';
import { AnswerProblem } from './answers.ts';
import { createReachability } from './reachability.ts';
import { TokenProblem } from './token-problem.ts';

test('the log has one line for each change, however many attempts there are', () => {
  const lines: string[] = [];
  const log = (message: string) => lines.push(message);
  const logger = { ...silentLogger, info: log, warn: log };
  const server = createReachability(new URL('http://host:1/prefix'), logger);
  for (const isThere of [true, true, false, false, true, true, false]) {
    if (isThere) server.reached();
    else server.missed(new Error('ECONNREFUSED'));
  }
  expect(lines).toEqual([
    'The server http://host:1/prefix cannot be reached; trying again.',
    'The server http://host:1/prefix can be reached again.',
    'The server http://host:1/prefix cannot be reached; trying again.',
  ]);
});

test('a server with another answer counts as reached, and is reported with path and answer', () => {
  const lines: string[] = [];
  const log = (message: string, facts: object = {}) => lines.push(message + JSON.stringify(facts));
  const logger = { ...silentLogger, info: log, warn: log };
  const server = createReachability(new URL('http://user:secret@host:1/foo/'), logger);
  const missing = { code: 404, body: { kind: 'Status', message: 'No such path: /foo/agents.' } };
  for (const reason of [new AnswerProblem(missing), new AnswerProblem({ code: 502, body: null })])
    server.missed(reason);
  server.missed(new Error('ECONNREFUSED'));
  server.missed(new AnswerProblem({ code: 502, body: null }));
  server.reached();
  expect(lines).toEqual([
    'The server http://host:1/foo does not answer as it should; trying again.{"error":"No such path: /foo/agents. (Is the path of the address right?)"}',
    'The server http://host:1/foo cannot be reached; trying again. Start a server with "tutti server", or name another one with --server or TUTTI_SERVER; until then, the agent waits.{"error":"ECONNREFUSED"}',
    'The server http://host:1/foo does not answer as it should; trying again.{"error":"The server answered with code 502."}',
    'The server http://host:1/foo answers again.{}',
  ]);
});

test('a refused token is told as what it is', () => {
  const lines: string[] = [];
  const log = (message: string) => lines.push(message);
  const logger = { ...silentLogger, info: log, warn: log };
  const server = createReachability(new URL('http://host:1'), logger);
  server.missed(new AnswerProblem({ code: 401, body: null }));
  server.reached();
  expect(lines).toEqual([
    'The server http://host:1 refuses the token; trying again.',
    'The server http://host:1 takes the token.',
  ]);
});

test('a token that cannot be read is no server that cannot be reached', () => {
  const lines: string[] = [];
  const log = (message: string, facts: object = {}) => lines.push(message + JSON.stringify(facts));
  const logger = { ...silentLogger, info: log, warn: log };
  const server = createReachability(new URL('http://host:1'), logger);
  const missing = new TokenProblem(new Error('There is no file t.'));
  for (const reason of [missing, missing, new Error('ECONNREFUSED')]) server.missed(reason);
  server.missed(missing);
  server.reached();
  expect(lines).toEqual([
    'The token cannot be read; trying again.{"error":"There is no file t."}',
    'The server http://host:1 cannot be reached; trying again. Start a server with "tutti server", or name another one with --server or TUTTI_SERVER; until then, the agent waits.{"error":"ECONNREFUSED"}',
    'The token cannot be read; trying again.{"error":"There is no file t."}',
    'The token can be read again.{}',
  ]);
});

test('what to do about a missing server is said once', () => {
  const lines: string[] = [];
  const log = (message: string) => lines.push(message);
  const server = createReachability(new URL('http://host:1'), {
    ...silentLogger,
    info: log,
    warn: log,
  });
  const absent = new Error('ECONNREFUSED');
  for (const reason of [absent, absent, new AnswerProblem({ code: 502, body: null }), absent])
    server.missed(reason);
  expect(lines).toHaveLength(3);
  expect(lines.filter((line) => line.includes('Start a server with "tutti server"'))).toEqual([
    lines[0],
  ]);
});
