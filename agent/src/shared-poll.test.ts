import { REASON_CODES } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { createAgentPaths } from './connection/agent-paths.ts';
import type { Answer, SmallRequest } from './connection/http-connection.ts';
import { SharedPoll } from './shared-poll.ts';
import { eventually } from './testing/agent-fixture.ts';

interface Held {
  readonly agents: readonly string[];
  readonly answer: (answer: Answer) => void;
  readonly fail: (error: Error) => void;
}

/** Holds each request until the test answers it. */
function openPoll() {
  const held: Held[] = [];
  const send = ({ json = '' }: SmallRequest) =>
    new Promise<Answer>((answer, fail) => {
      const { polls } = JSON.parse(json);
      held.push({ agents: polls.map((poll: { agent_id: string }) => poll.agent_id), answer, fail });
    });
  const unused = () => Promise.reject(new Error('Nothing moves here.'));
  const connection = { send, upload: unused, download: unused, close: () => undefined };
  const poll = new SharedPoll(connection, createAgentPaths(new URL('http://server')));
  const leaving = new AbortController();
  const ask = (agentId: string, signal: AbortSignal = leaving.signal) =>
    poll.ask({ agentId, known: () => ({ last: null, running: null }), signal });
  const request = (index: number) =>
    eventually(() => {
      const found = held[index];
      if (found === undefined) throw new Error('It is not there yet.');
      return found;
    });
  return { held, ask, request };
}

const orders = (given: object, unknown: readonly string[] = []): Answer => ({
  code: REASON_CODES.OK,
  body: { details: { orders: given, unknown } },
});

test('one request asks for all slots, and the next one follows when a slot has its order', async () => {
  const { held, ask, request } = openPoll();
  const first = ask('a');
  const second = ask('b');
  expect((await request(0)).agents).toEqual(['a', 'b']);
  (await request(0)).answer(orders({ a: { kind: 'cancel' } }));
  expect(await first).toEqual({ code: REASON_CODES.OK, body: { details: { kind: 'cancel' } } });
  void ask('a');
  expect((await request(1)).agents).toEqual(['b', 'a']);
  (await request(1)).answer(orders({ b: { kind: 'get' } }));
  expect((await second).body).toEqual({ details: { kind: 'get' } });
  expect(held).toHaveLength(2);
});

test('a slot that asks later makes a newer request, and the end of the older one changes nothing', async () => {
  const { ask, request } = openPoll();
  const first = ask('a');
  const old = await request(0);
  const second = ask('b');
  const newer = await request(1);
  expect(newer.agents).toEqual(['a', 'b']);
  old.answer({ code: REASON_CODES.NoContent, body: undefined });
  newer.answer(orders({ a: { kind: 'get' }, b: { kind: 'put' } }));
  expect((await first).body).toEqual({ details: { kind: 'get' } });
  expect((await second).body).toEqual({ details: { kind: 'put' } });
});

test('a slot that the server does not know hears it, and the others ask again', async () => {
  const { ask, request } = openPoll();
  const lost = ask('a');
  void ask('b');
  (await request(0)).answer(orders({}, ['a']));
  expect((await lost).code).toBe(REASON_CODES.NotFound);
  expect((await request(1)).agents).toEqual(['b']);
});

test('other answers, and broken connections, reach every slot', async () => {
  const { ask, request } = openPoll();
  const first = [ask('a'), ask('b')];
  (await request(0)).answer({ code: REASON_CODES.Unauthorized, body: undefined });
  for (const { code } of await Promise.all(first)) expect(code).toBe(REASON_CODES.Unauthorized);
  const second = [ask('a'), ask('b')];
  (await request(1)).fail(new Error('broken'));
  for (const each of second) await expect(each).rejects.toThrow('broken');
});

test('a slot that leaves is in no later request', async () => {
  const { ask, request } = openPoll();
  const leaving = new AbortController();
  const gone = ask('a', leaving.signal);
  const stays = ask('b');
  const old = await request(0);
  leaving.abort();
  await expect(gone).rejects.toThrow('no longer');
  old.answer({ code: REASON_CODES.NoContent, body: undefined });
  expect((await stays).code).toBe(REASON_CODES.NoContent);
  void ask('b');
  expect((await request(1)).agents).toEqual(['b']);
});
