/** Requests with expiring tokens, on real connections. */
import { once } from 'node:events';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { createAuthenticator } from '../auth/authenticator.ts';
import { HeldTokens } from '../auth/held-tokens.ts';
import { NO_TOKENS, parseTokenFile } from '../auth/static-tokens.ts';
import { createTestClock } from '../auth/testing.ts';
import { createIds, systemClock } from '../runtime/clock.ts';
import { loadConfig } from '../runtime/config.ts';
import { createLogger } from '../runtime/logger.ts';
import { createApp } from './app.ts';
import { whenClosed } from './when-closed.ts';

type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown;

async function setUp(handler: Handler) {
  const logger = createLogger({ level: 'silent' });
  const clock = createTestClock();
  const state = { tokens: parseTokenFile('word,Name,u', 'tokens') };
  const current = async () => trust();
  let known = { keys: [], tokens: state.tokens, policies: [] };
  const trust = () => {
    if (known.tokens !== state.tokens) known = { ...known, tokens: state.tokens };
    return known;
  };
  const authority = createAuthenticator({ keys: [], files: { current, look: current }, clock });
  const heldTokens = new HeldTokens({ authority, clock, logger });
  await heldTokens.start();
  const app = createApp({
    authenticator: authority,
    heldTokens,
    logger,
    ids: createIds(systemClock),
    config: loadConfig({ env: {} }),
    version: '1',
  });
  app.post('/thing', { config: { body: 'stream' } }, handler);
  await app.listen({ port: 0, host: '127.0.0.1' });
  onTestFinished(async () => {
    await heldTokens.stop();
    await app.close();
  });
  const { port } = app.server.address() as AddressInfo;
  const headers = { authorization: 'Bearer word' };
  const asked = request({ port, host: '127.0.0.1', path: '/thing', method: 'POST', headers });
  asked.on('error', () => undefined);
  const withdraw = () => {
    state.tokens = NO_TOKENS;
    return heldTokens.look();
  };
  return { asked, withdraw };
}

test('a request that is held is refused, and its handler meets a connection that broke', async () => {
  const begun = Promise.withResolvers<void>();
  const left = Promise.withResolvers<boolean>();
  const { asked, withdraw } = await setUp(async (_, reply) => {
    begun.resolve();
    await new Promise<void>((resolve) => whenClosed(reply.raw, resolve));
    left.resolve(reply.raw.writableFinished);
    return reply.send('late');
  });
  asked.end();
  await begun.promise;
  const answered = once(asked, 'response');
  await withdraw();
  const [answer] = await answered;
  expect(answer.statusCode).toBe(401);
  expect(await left.promise).toBe(false);
  const text = (await answer.setEncoding('utf8').toArray()).join('');
  expect(JSON.parse(text)).toMatchObject({ kind: 'Status', reason: 'Unauthorized', code: 401 });
});

test('no further byte of a file is sent', async () => {
  const content = new Readable({ read: () => undefined });
  const { asked, withdraw } = await setUp((_, reply) => reply.send(content));
  asked.end();
  content.push('first');
  const [answer] = await once(asked, 'response');
  const [piece] = await once(answer, 'data');
  const broken = new Promise((resolve) => answer.on('error', () => undefined).on('close', resolve));
  await withdraw();
  content.push('second');
  await broken;
  expect([String(piece), answer.complete]).toEqual(['first', false]);
  expect(content.destroyed).toBe(true);
});

test('no further byte of a body is read, and its handler does not get it whole', async () => {
  const begun = Promise.withResolvers<void>();
  const read = Promise.withResolvers<unknown>();
  const { asked, withdraw } = await setUp(async ({ body }, reply) => {
    const pieces = body instanceof Readable ? body : Readable.from([]);
    pieces.once('data', () => begun.resolve());
    read.resolve(pieces.toArray().catch((error: unknown) => error));
    await read.promise;
    return reply.send('late');
  });
  asked.write('first');
  await begun.promise;
  const answered = once(asked, 'response');
  await withdraw();
  const [answer] = await answered;
  expect(answer.statusCode).toBe(401);
  expect(await read.promise).toBeInstanceOf(Error);
});
