import { EventEmitter } from 'node:events';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { expect, test } from 'vitest';
import { LIMITS } from '../runtime/limits.ts';
import { IncomingBodies } from './incoming-bodies.ts';

const SECOND = 1_000;

/** The parts of a request that are looked at; the test changes them. */
function comingRequest(
  subject = 'alice',
  url = '/workflows',
  body?: 'stream',
  type = 'application/json',
) {
  const ended: string[] = [];
  const socket = { bytesRead: 0, destroyed: false };
  const destroy = () => ended.push('closed');
  const state = { socket, destroy, complete: false, destroyed: false, readableLength: 0 };
  const raw = Object.assign(new EventEmitter(), state);
  raw.on('error', ({ message }: Error) => ended.push(message));
  const request = {
    raw,
    headers: { 'content-type': type },
    routeOptions: { url, config: { body } },
    access: { subject, namespaces: () => new Set([subject]) },
  };
  const reply = { sent: false, raw: { headersSent: false } };
  return {
    raw,
    ended,
    // Fastify's own objects have hundreds of members.
    request: request as unknown as FastifyRequest,
    reply: reply as unknown as FastifyReply,
  };
}

function open(bodyBytesPerSecond = 100) {
  const bodies = new IncomingBodies({ ...LIMITS, bodyBytesPerSecond });
  const startMs = performance.now();
  const lookAfter = (seconds: number) => bodies.look(startMs + seconds * SECOND);
  return { bodies, lookAfter };
}

test('a body that comes too slowly is refused, and one that comes fast enough is not', () => {
  const { bodies, lookAfter } = open();
  const [slow, fast] = [comingRequest(), comingRequest('bob')];
  for (const { request, reply } of [slow, fast]) bodies.add(request, reply);
  lookAfter(29);
  fast.raw.socket.bytesRead += 3_001;
  lookAfter(31);
  expect(slow.ended).toEqual([
    'The request body came too slowly: less than 100 bytes per second in 30 s (limits.bodyBytesPerSecond).',
  ]);
  expect(fast.ended).toEqual([]);
  lookAfter(62);
  expect(fast.ended).toHaveLength(1);
  bodies.close();
});

test('a body that waits for the server is not slow', () => {
  const { bodies, lookAfter } = open();
  const { raw, request, reply, ended } = comingRequest();
  bodies.add(request, reply);
  raw.readableLength = 1;
  for (const seconds of [40, 80]) lookAfter(seconds);
  raw.readableLength = 0;
  lookAfter(109);
  expect(ended).toEqual([]);
  lookAfter(111);
  expect(ended).toHaveLength(1);
  bodies.close();
});

// Bound: The time of a body in memory.
test('a body in memory that takes longer than ten minutes is refused, and a file is not', () => {
  const { bodies, lookAfter } = open(0);
  const [document, file] = [comingRequest(), comingRequest('bob', '/files', 'stream')];
  for (const { request, reply } of [document, file]) bodies.add(request, reply);
  lookAfter(599);
  expect(document.ended).toEqual([]);
  lookAfter(602);
  expect(document.ended).toEqual([
    'The request body took longer than 600 s. Send it faster, or send less at a time.',
  ]);
  expect(file.ended).toEqual([]);
  bodies.close();
});

test('a form takes longer than ten minutes for its files alone', () => {
  const { bodies, lookAfter } = open(0);
  const form = () => comingRequest('alice', '/workflows', undefined, 'multipart/form-data');
  const [slow, fast] = [form(), form()];
  for (const { request, reply } of [slow, fast]) bodies.add(request, reply);
  slow.raw.socket.bytesRead += 100 * LIMITS.formBytesPerSecond;
  fast.raw.socket.bytesRead += 1_000 * LIMITS.formBytesPerSecond;
  lookAfter(699);
  expect(slow.ended).toEqual([]);
  lookAfter(702);
  expect(slow.ended).toEqual([
    'The request body took longer than 700 s. Send it faster, or send less at a time.',
  ]);
  expect(fast.ended).toEqual([]);
  bodies.close();
});

test('an agent gets no answer: its connection is closed', () => {
  const { bodies, lookAfter } = open();
  const { request, reply, ended } = comingRequest('agent', '/agents/:agent_id');
  bodies.add(request, reply);
  lookAfter(31);
  expect(ended).toEqual(['closed']);
  bodies.close();
});

// Bound: Bodies that take longer than a second, without those of agents.
test('each subject has a share of the bodies that come, and the newest are refused', () => {
  const { bodies, lookAfter } = open(0);
  const share = LIMITS.bodiesComing * LIMITS.subjectShare;
  const ofOne = Array.from({ length: share + 1 }, () => comingRequest());
  const other = comingRequest('bob');
  for (const { request, reply } of [...ofOne, other]) bodies.add(request, reply);
  lookAfter(1);
  expect(ofOne.filter(({ ended }) => ended.length > 0)).toEqual([ofOne.at(-1)]);
  expect(ofOne.at(-1)?.ended.join()).toContain('the share of one subject (limits.subjectShare)');
  expect(other.ended).toEqual([]);
  bodies.close();
});

test('bodies of agents take no places of others', () => {
  const { bodies, lookAfter } = open(0);
  const ofAgents = Array.from({ length: LIMITS.bodiesComing + 1 }, () =>
    comingRequest('agent', '/agents/:agent_id'),
  );
  const other = comingRequest('agent');
  for (const { request, reply } of [...ofAgents, other]) bodies.add(request, reply);
  lookAfter(1);
  expect([...ofAgents, other].filter(({ ended }) => ended.length > 0)).toEqual([]);
  bodies.close();
});

test('a body counts until its reader ends, where the answer came earlier', async () => {
  const { bodies } = open();
  const { request } = comingRequest();
  const answer = new EventEmitter();
  const reply = { sent: false, raw: Object.assign(answer, { destroyed: false }) };
  const body = bodies.add(request, reply as unknown as FastifyReply);
  body.lease().take(10);
  const memory = bodies.memoryOf(request);
  const reader = Promise.withResolvers<void>();
  body.keepUntil(reader.promise);
  answer.emit('close');
  expect(memory.bytes).toBe(10);
  reader.resolve();
  await reader.promise;
  await null;
  expect(memory.bytes).toBe(0);
  bodies.close();
});
