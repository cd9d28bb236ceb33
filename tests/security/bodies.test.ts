/** Bodies that announce more than they send (section 2). */
import { afterEach, beforeEach, expect } from 'vitest';
import { bodyOf } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { registerExisting } from '../support/existing-agent.ts';
import { residentMemory } from '../support/process-facts.ts';
import { oneJob, sh, start } from '../support/runs.ts';
import { openSlowRequest, type SlowRequest } from '../support/slow-request.ts';
import { openTenants } from '../support/tenants.ts';
import { Workbench } from '../support/workbench.ts';
import { attack } from './attack.ts';

const MIB = 1024 * 1024;
/** A body must bring something in this time, and the server looks once a second. */
const WINDOW = { withinMs: 60_000 };

let bench: Workbench;
const opened: SlowRequest[] = [];

beforeEach(async () => {
  bench = await Workbench.open();
});

afterEach(async () => {
  for (const { socket } of opened.splice(0)) socket.destroy();
  await bench.close();
});

const waiting = oneJob('honest', [sh('true')], { 'runs-on': 'nowhere' });

interface Half {
  readonly url: string;
  readonly token: string;
  readonly path: string;
  readonly announced: number;
  readonly method?: string;
  readonly type?: string;
}

async function half({ url, token, path, announced, method = 'POST', type }: Half) {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': type ?? 'application/json',
    'content-length': announced,
  };
  const request = await openSlowRequest(url, { method, path, headers });
  opened.push(request);
  return request;
}

// Bound: The rate of a body.
attack('announced-uploads', async () => {
  const { as } = await openTenants(bench);
  const attacker = as('mallory', 'theirs');
  const uploads = await Promise.all(
    Array.from({ length: 64 }, () =>
      half({ ...attacker, path: '/workflows', announced: 16 * MIB - 1 }),
    ),
  );
  await Promise.all(uploads.map((upload) => upload.send('{')));
  await start(as('alice', 'ours'), waiting, 'namespace=ours');
  await eventually(
    'the end of all uploads',
    () => uploads.every(({ isClosed }) => isClosed),
    WINDOW,
  );
  for (const { answer } of uploads) {
    expect(answer).toMatch(/^HTTP\/1.1 408 /);
    expect(answer).toContain('The request body came too slowly');
  }
  await start(as('alice', 'ours'), waiting, 'namespace=ours');
});

attack('half-sent-posts', async () => {
  const { as, server } = await openTenants(bench);
  const attacker = as('mallory', 'theirs');
  const { id } = await registerExisting(attacker, ['linux'], {
    metadata: { namespaces: 'theirs' },
  });
  const other = await registerExisting(as('alice', 'ours'), ['linux'], {
    metadata: { namespaces: 'ours' },
  });
  const before = residentMemory(server.child.pid);
  const piece = Buffer.alloc(MIB, 'x');
  const posts = await Promise.all(
    Array.from({ length: 40 }, () =>
      half({ ...attacker, path: `/agents/${id}`, announced: 64 * MIB - 1 }),
    ),
  );
  // Bytes that the server does not read stay in this process.
  for (const post of posts) {
    await post.send('{"stdout":["');
    for (let count = 0; count < 60; count += 1) post.socket.write(piece);
  }
  const most = await eventually(
    'a second in which no more is read',
    steadyMemory(server.child.pid),
  );
  // The server reads few of the 2.4 GB. Its memory has a share of 256 MiB, one permitted body, and garbage.
  expect(most - before).toBeLessThan(450 * MIB);
  expect((await other.post({ stdout: [`${'y'.repeat(MIB)}`], exit_status: 0 })).code).toBeLessThan(
    500,
  );
  for (const { socket } of posts) socket.destroy();
  await eventually(
    'the memory comes back',
    () => residentMemory(server.child.pid) < before + 150 * MIB,
  );
  expect((await other.poll()).code).toBe(204);
});

attack('half-sent-posts-of-many', async () => {
  // Half of it is the share of a namespace; its oldest body may go beyond by its own 15 MiB.
  const { as } = await openTenants(bench, { config: { limits: { bodiesBytes: 64 * MIB } } });
  const { id } = await registerExisting(as('mallory', 'theirs'), ['linux'], {
    metadata: { namespaces: 'theirs' },
  });
  const other = await registerExisting(as('alice', 'ours'), ['linux'], {
    metadata: { namespaces: 'ours' },
  });
  const posts = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      half({ ...as(`mallory ${n}`, 'theirs'), path: `/agents/${id}`, announced: 16 * MIB }),
    ),
  );
  const most = Buffer.alloc(15 * MIB, 'x');
  // Bytes that the server does not read stay in this process.
  for (const post of posts) {
    await post.send('{"stdout":["');
    post.socket.write(most);
  }
  await eventually('a post waits unread', () =>
    posts.some(({ socket }) => socket.writableLength > 0),
  );
  const answer = await other.post({ stdout: ['y'.repeat(MIB)], exit_status: 0 });
  expect(answer.code).toBeLessThan(500);
});

/** A second reading that is no more than the one before. */
function steadyMemory(pid: number): () => number | null {
  let last = 0;
  let lastMs = Date.now();
  return () => {
    if (Date.now() - lastMs < 1_000) return null;
    const now = residentMemory(pid);
    const isSteady = last > 0 && now <= last + MIB;
    last = now;
    lastMs = Date.now();
    return isSteady ? now : null;
  };
}

attack('half-sent-bodies', async () => {
  const { server } = await openTenants(bench);
  const id = await start(server, waiting);
  const { id: agent } = await registerExisting(server, ['other']);
  const form = 'multipart/form-data; boundary=x';
  const part = '--x\r\nContent-Disposition: form-data; name="workflow"\r\n\r\n{';
  const file = '00000000-0000-4000-8000-000000000000';
  const bodies: readonly [string, string, string?][] = [
    ['POST', '/workflows'],
    ['POST', '/workflows', form],
    ['POST', `/workflows/${id}/rerun`],
    ['POST', `/workflows/${id}/insights?insight=*`, form],
    ['POST', `/workflows/${id}/qualitygate`, form],
    ['POST', '/publications'],
    ['POST', '/subscriptions'],
    ['POST', '/agents'],
    ['PATCH', '/agents'],
    ['POST', `/agents/${agent}`],
    ['POST', `/agents/${agent}/files/${file}`, 'application/octet-stream'],
    ['PUT', `/agents/${agent}/files/${file}`, 'application/octet-stream'],
    ['POST', '/nowhere'],
    ['GET', '/workflows'],
    ['DELETE', `/workflows/${id}`],
  ];
  const requests = await Promise.all(
    bodies.map(async ([method, path, type = 'application/json']) => {
      const request = await half({ ...server, method, path, type, announced: 1_000_000 });
      await request.send(type === form ? part : '{');
      return request;
    }),
  );
  await eventually('the end of each', () => requests.every(({ isClosed }) => isClosed), {
    withinMs: 55_000,
  });
  for (const [index, { answer }] of requests.entries()) {
    expect(answer, String(bodies[index])).not.toMatch(/^HTTP\/1.1 5/);
  }
  // An existing agent takes any answer for the receipt of its result.
  expect(requests[9]?.answer).toBe('');
});

attack('share-of-starts', async () => {
  const { as } = await openTenants(bench, { config: { limits: { startsBytes: 32 * MIB } } });
  const attacker = as('mallory', 'theirs');
  const piece = Buffer.alloc(MIB, ' ');
  const first = await half({ ...attacker, path: '/workflows', announced: 16 * MIB });
  for (let count = 0; count < 8; count += 1) await first.send(piece);
  const second = await half({ ...attacker, path: '/workflows', announced: 16 * MIB });
  for (let count = 0; count < 16; count += 1) await second.send(piece);
  await eventually('a refusal', () => second.answer !== '');
  expect(second.answer).toMatch(/^HTTP\/1.1 429 /);
  expect(second.answer).toContain(
    'User \\"mallory\\" may have 8388608 of the 33554432 bytes of requests for workflows (limits.startsBytes): the share of one subject (limits.subjectShare).',
  );
  const large = { ...waiting, variables: { LARGE: 'x'.repeat(200_000) } };
  const answer = await as('alice', 'ours').call('POST', '/workflows', {
    body: large,
    query: 'namespace=ours',
  });
  expect(bodyOf(answer)).toMatchObject({ code: 201 });
});
