import { type Status, status } from '@tutti/manifests';
import type { FastifyInstance } from 'fastify';
import { expect, test } from 'vitest';
import { eventually } from '../../../tests/support/eventually.ts';
import { createMeters } from '../runtime/meters.ts';
import { boundChanges } from './open-changes.ts';

import { sendStatus } from './reply.ts';
import { createTestApp } from './testing.ts';

/** An app whose handlers wait until the test lets them go on. */
async function open({ waitingMs = 0, unknownMax = 100 } = {}) {
  const meters = createMeters();
  const database = { ms: waitingMs, waitingMs: () => database.ms };
  const stored = Promise.withResolvers<void>();
  let begun = 0;
  let ended = 0;
  const bound = (app: FastifyInstance) =>
    boundChanges(app, { database, meters }, { waitMs: 1, lookMs: 1, unknownMax });
  const routes = (app: FastifyInstance) => {
    for (const [method, url, isAudited] of [
      ['POST', '/changes', true],
      ['POST', '/posts', false],
      ['GET', '/reads', true],
    ] as const) {
      app.route({
        method,
        url,
        config: { isAudited },
        handler: async (_request, reply) => {
          begun += 1;
          await stored.promise;
          ended += 1;
          return sendStatus(reply, status('OK', 'Stored.'));
        },
      });
    }
  };
  const { app, admin } = await createTestApp({ routes: [bound, routes] });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  const call = async (method: 'POST' | 'GET', path: string) => {
    const body = method === 'POST' ? '{}' : null;
    const headers = { authorization: admin, 'content-type': 'application/json' };
    const answer = await fetch(`${url}${path}`, { method, headers, body });
    return { code: answer.status, status: (await answer.json()) as Status };
  };
  return { app, call, database, meters, stored, begun: () => begun, ended: () => ended };
}

// Bound: The time of a change with a database that is away or slow.
test('a change that the database does not store in time is answered, and goes on', async () => {
  const { app, call, meters, stored, ended } = await open({ waitingMs: 1 });
  const { code, status: answer } = await call('POST', '/changes');
  expect(code).toBe(503);
  expect(answer).toMatchObject({
    reason: 'ServiceUnavailable',
    message:
      'The database has not confirmed the change in time. It may still be stored: look before you send it again.',
    details: { outcome: 'unknown' },
  });
  expect(meters.database.unknownOutcomes.count).toBe(1);
  expect(ended()).toBe(0);
  stored.resolve();
  await eventually('the end of the handler', async () => ended() === 1);
  expect((await call('POST', '/changes')).code).toBe(200);
  await app.close();
});

test('a change that waits for something else is not answered early', async () => {
  const { app, call, database, stored, begun, meters } = await open();
  let looks = 0;
  database.waitingMs = () => {
    looks += 1;
    return 0;
  };
  const slow = call('POST', '/changes');
  await eventually('looks', async () => begun() === 1 && looks > 10);
  stored.resolve();
  expect((await slow).code).toBe(200);
  expect(meters.database.unknownOutcomes.count).toBe(0);
  await app.close();
});

test('posts of agents and reads wait for the database as long as it takes', async () => {
  const { app, call, stored, begun } = await open({ waitingMs: 1 });
  const others = [call('POST', '/posts'), call('GET', '/reads')];
  await eventually('the others', async () => begun() === 2);
  // The looks that answer this one see those, too.
  expect((await call('POST', '/changes')).code).toBe(503);
  stored.resolve();
  for (const { code } of await Promise.all(others)) expect(code).toBe(200);
  await app.close();
});

// Bound: Changes whose outcome is unknown.
test('further changes are refused at once while so many are in doubt', async () => {
  const { app, call, stored, begun, ended } = await open({ waitingMs: 1, unknownMax: 2 });
  await Promise.all([call('POST', '/changes'), call('POST', '/changes')]);
  const { code, status: answer } = await call('POST', '/changes');
  expect([code, answer.message, answer.details]).toEqual([
    503,
    'The database does not store changes, and 2 changes wait for it, which is the limit. Try again later.',
    null,
  ]);
  expect(begun()).toBe(2);
  stored.resolve();
  await eventually('the end of the handlers', async () => ended() === 2);
  expect((await call('POST', '/changes')).code).toBe(200);
  await app.close();
});
