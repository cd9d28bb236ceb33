import { EventEmitter } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { expect, test } from 'vitest';
import { createDocumentMemory } from './document-memory.ts';

const content = Buffer.from(JSON.stringify({ text: 'x'.repeat(16 * 1024) }));

/** The part of a request that is read. */
function requestOf(subject: string, namespace: string) {
  const answer = Object.assign(new EventEmitter(), { closed: false });
  const access = { subject, namespaces: () => new Set([namespace]) };
  const request = { access, answer, routeOptions: { config: {} } };
  return { request: request as unknown as FastifyRequest, answer };
}

test('subjects of one namespace take turns, and leave room to others', async () => {
  const memory = createDocumentMemory({ document: 1024 * 1024, documents: 80 * 1024 });
  const entered: string[] = [];
  const enter = async (subject: string, namespace: string) => {
    const { request, answer } = requestOf(subject, namespace);
    await memory.enter(request, content);
    entered.push(subject);
    return answer;
  };
  const all = [
    enter('a', 'theirs'),
    enter('b', 'theirs'),
    enter('c', 'theirs'),
    enter('d', 'ours'),
  ];
  for (let turn = 0; turn < 1_000 && !entered.includes('d'); turn += 1) await nextTurn();
  expect(entered).toContain('d');
  expect(entered).not.toContain('c');
  (await all[0])?.emit('close');
  (await all[1])?.emit('close');
  await Promise.all(all);
  expect(entered).toContain('c');
});
