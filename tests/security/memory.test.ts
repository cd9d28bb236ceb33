/**
 * Requests that take much memory, sent to a server with little. The server refuses with a reason, stays up, and serves others meanwhile.
 */
import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect } from 'vitest';
import { type Answer, type Api, bodyOf, createApi, detailsOf, type Loose } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { residentMemory } from '../support/process-facts.ts';
import { ended, oneJob, sh, start, statusOf } from '../support/runs.ts';
import { signedToken } from '../support/tokens.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';
import { attack } from './attack.ts';

const HEAP = ['--max-old-space-size=512'];
const MIB = 1024 * 1024;
const MANIFEST_BYTES = 12_000_000;
/** A script may have two mebibytes of characters. */
const STEPS = 6;
/** One sign beyond Latin, and each character takes two bytes of memory. */
const LARGE = JSON.stringify(
  oneJob(
    'large',
    Array.from({ length: STEPS }, () => sh(`: €${'x'.repeat(MANIFEST_BYTES / STEPS)}`)),
    { 'runs-on': ['linux', 'nobody'] },
  ),
);
const SMALL = oneJob('small', [sh('echo done')], { 'runs-on': ['linux', 'victim'] });
/** Nobody has its environment before the restart. */
const LATER = oneJob('later', [sh('echo done')], { 'runs-on': ['linux', 'later'] });
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

let bench: Workbench;
let server: ServerChild;
let config: Readonly<Record<string, unknown>>;
let attacker: Api;
let victim: Api;

beforeAll(async () => {
  bench = await Workbench.open();
  const path = bench.path('authority.pem');
  await writeFile(path, publicKey.export({ type: 'spki', format: 'pem' }));
  config = { auth: { trustedKeys: [{ path, namespaces: 'team-a,team-b' }] } };
  await open(await bench.server({ nodeOptions: HEAP, config }));
});

afterAll(async () => {
  if (!server.child.isRunning) process.stderr.write(bench.report());
  await bench.close();
});

async function open(opened: ServerChild): Promise<void> {
  server = opened;
  attacker = createApi(server.url, tokenOf('team-a'));
  victim = createApi(server.url, tokenOf('team-b'));
  await addAgent('victim');
}

async function addAgent(tag: string): Promise<void> {
  await bench.agent(server, { tags: ['linux', tag], name: tag, namespaces: 'team-b' });
}

function tokenOf(namespace: string): string {
  const claims = { iss: 'an authority', sub: namespace, tutti: { namespaces: [namespace] } };
  return signedToken(privateKey, { header: { alg: 'ES256' }, claims });
}

const sendLarge = (): Promise<Answer> =>
  attacker.call('POST', '/workflows', {
    body: LARGE,
    query: 'namespace=team-a',
    headers: { 'content-type': 'application/json' },
  });

/** Sends what it takes until one is refused, and a few more. Answers the ids of those that were accepted. */
async function fillMemory(): Promise<readonly string[]> {
  const answers: Answer[] = [];
  for (let sent = 0; sent < 20; sent += 4) {
    answers.push(...(await Promise.all([sendLarge(), sendLarge(), sendLarge(), sendLarge()])));
  }
  const refused = answers.filter(({ code }) => code !== 201);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.filter(({ code }) => code === 429 || code === 503)).toHaveLength(refused.length);
  for (const answer of refused) {
    expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(bodyOf(answer).message).toMatch(/limits\.\w+|memory/);
  }
  return answers
    .filter(({ code }) => code === 201)
    .map((answer) => String(detailsOf(answer).workflow_id));
}

/** Starts and ends a workflow; a refusal that asks for patience is heard. */
async function victimRuns(): Promise<void> {
  const id = await eventually('a workflow of the victim', async () => {
    const answer = await victim.call('POST', '/workflows', {
      body: SMALL,
      query: 'namespace=team-b',
    });
    expect([201, 503]).toContain(answer.code);
    return answer.code === 201 ? String(detailsOf(answer).workflow_id) : null;
  });
  expect(await ended(victim, id)).toBe('DONE');
}

// Bound: Bytes of runs in memory of one namespace.
attack(
  'memory-live-runs',
  async () => {
    const [ids] = await Promise.all([fillMemory(), victimRuns()]);
    expect(ids.length).toBeGreaterThan(2);
    await victimRuns();
    const waiting = await start(victim, LATER, 'namespace=team-b');
    await server.child.kill('SIGKILL');
    await open(await bench.server({ nodeOptions: HEAP, config, dataDir: server.dataDir }));
    for (const id of ids) expect(await statusOf(attacker, id)).toBe('PENDING');
    await addAgent('later');
    expect(await ended(victim, waiting)).toBe('DONE');
    await victimRuns();
    const [first = ''] = ids;
    // An accepted run goes on: it can be ended, and makes room.
    expect((await attacker.call('DELETE', `/workflows/${first}`)).code).toBe(200);
    expect(await ended(attacker, first)).toBe('FAILED');
    expect((await sendLarge()).code).toBe(201);
    expect(server.child.isRunning).toBe(true);
  },
  240_000,
);

/** A client that asks and takes nothing of the answer. */
function askWithoutReading(path: string) {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.write(
    `GET ${path} HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${tokenOf('team-a')}\r\n\r\n`,
  );
  socket.pause();
  return socket;
}

// Bound: Memory of all such answers.
attack(
  'memory-listings',
  async () => {
    const answer = await attacker.call('GET', '/workflows');
    const { items } = detailsOf(answer);
    const [id] = Array.isArray(items) ? items : [];
    const paths = ['/workflows?expand=manifest', `/workflows/${id}/status?per_page=1000`];
    const sockets = Array.from({ length: 40 }, (_, index) =>
      askWithoutReading(paths[index % 2] ?? ''),
    );
    const lists = await Promise.all(
      Array.from({ length: 6 }, () =>
        victim.call('GET', '/workflows', { query: 'expand=manifest' }),
      ),
    );
    expect(lists.map(({ code }) => code)).toEqual(Array(6).fill(200));
    await victimRuns();
    for (const socket of sockets) socket.destroy();
    const whole = await eventually('a whole listing', async () => {
      const listed = await attacker.call('GET', '/workflows', { query: 'expand=manifest' });
      return listed.code === 200 ? listed : null;
    });
    expect(Object.keys(detailsOf(whole).items ?? {})).toEqual(items);
    expect(server.child.isRunning).toBe(true);
  },
  240_000,
);

/** Log lines of a 4 MB notification: each character takes two bytes of memory. */
const LINES = Array.from({ length: 60 }, () => `€${'x'.repeat(60_000)}`);
const LARGE_EVENTS = 24;

attack(
  'memory-events',
  async () => {
    const { items: full } = detailsOf(await attacker.call('GET', '/workflows'));
    for (const id of Array.isArray(full) ? full : []) {
      await attacker.call('DELETE', `/workflows/${id}`);
    }
    const waits = oneJob('waits', [sh('true')], { 'runs-on': ['linux', 'nobody'] });
    const id = await start(attacker, waits, 'namespace=team-a');
    for (let sent = 0; sent < LARGE_EVENTS; sent += 1) {
      const body = {
        apiVersion: 'v1',
        kind: 'Notification',
        metadata: { name: 'large', workflow_id: id },
        spec: { logs: LINES },
      };
      await eventually('it is stored', async () => {
        const { code } = await attacker.call('POST', '/publications', { body });
        expect([200, 429, 503]).toContain(code);
        return code === 200;
      });
    }
    const path = `/workflows/${id}/status?per_page=1000`;
    const search = `${path}&fieldSelector=kind%3D%3DNotification`;
    const sockets = Array.from({ length: 40 }, (_, index) =>
      askWithoutReading(index % 4 === 0 ? search : path),
    );
    await victimRuns();
    for (const socket of sockets) socket.destroy();
    for (const query of ['per_page=1000', 'per_page=1000&fieldSelector=kind==Notification']) {
      const answer = await eventually('a whole answer', async () => {
        const read = await attacker.call('GET', `/workflows/${id}/status`, { query });
        return read.code === 200 ? read : null;
      });
      const { items } = detailsOf(answer);
      const large = Array.isArray(items)
        ? items.filter(({ metadata }) => metadata.name === 'large')
        : [];
      expect(large.map(({ spec }) => spec.logs.length)).toEqual(Array(LARGE_EVENTS).fill(60));
    }
    expect(server.child.isRunning).toBe(true);
  },
  240_000,
);

// Bound: A JSON document after parsing.
attack(
  'memory-documents',
  async () => {
    const bomb = `{"x":[${'[],'.repeat(MANIFEST_BYTES / 3)}[]]}`;
    const headers = { 'content-type': 'application/json' };
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => attacker.call('POST', '/workflows', { body: bomb, headers })),
    );
    for (const answer of answers) expect([413, 429, 503]).toContain(answer.code);
    expect(answers.map((answer) => String(bodyOf(answer).message)).join()).toContain('memory');
    // Below the bound of one publication, several at a time.
    const small = `{"x":[${'[],'.repeat(1_300_000)}[]]}`;
    const sent = await Promise.all(
      Array.from({ length: 12 }, () =>
        attacker.call('POST', '/publications', { body: small, headers }),
      ),
    );
    for (const { code } of sent) expect([200, 400, 403, 413, 429, 503]).toContain(code);
    await victimRuns();
  },
  240_000,
);

const TEXT = 'x'.repeat(60_000);

// Bound: Bytes of subscriptions.
attack(
  'memory-subscriptions',
  async () => {
    const subscribe = (api: Api, name: string, text: string) =>
      api.call('POST', '/subscriptions', {
        body: {
          apiVersion: 'opentestfactory.org/v1alpha1',
          kind: 'Subscription',
          metadata: { name, annotations: { text } },
          spec: { selector: { matchKind: name }, subscriber: { endpoint: 'http://127.0.0.1:9/' } },
        },
      });
    const refused = await eventually(
      'a refusal',
      async () => {
        const answer = await subscribe(attacker, `kind-${Math.random()}`, TEXT);
        return answer.code === 201 ? null : answer;
      },
      { withinMs: 90_000 },
    );
    expect(refused.code).toBe(429);
    expect(bodyOf(refused).message).toContain('bytes');
    expect((await subscribe(victim, 'ours', 'small')).code).toBe(201);
    const listed = await attacker.call('GET', '/subscriptions');
    expect(Object.keys(Object(bodyOf(listed).items)).length).toBeLessThan(1_000);
  },
  240_000,
);

// Bound: Registrations in memory.
attack(
  'memory-agents',
  async () => {
    const register = (api: Api, namespaces: string, annotation: string) =>
      api.call('POST', '/agents', {
        body: {
          apiVersion: 'opentestfactory.org/v1alpha1',
          kind: 'AgentRegistration',
          metadata: { name: 'agent', namespaces, annotation },
          spec: { tags: ['linux', 'x'] },
        },
      });
    const refused = await eventually(
      'a refusal',
      async () => {
        const answer = await register(attacker, 'team-a', TEXT);
        return answer.code === 201 ? null : answer;
      },
      { withinMs: 90_000 },
    );
    expect(refused.code).toBe(429);
    expect(bodyOf(refused).message).toContain('bytes');
    expect((await register(victim, 'team-b', 'small')).code).toBe(201);
  },
  240_000,
);

/** Asks for as much as a gigabyte, and takes nothing. Resolves with the growth of the process, once others were served. */
async function growthWithout(paths: readonly string[], count: number): Promise<number> {
  const before = residentMemory(server.child.pid);
  const sockets = Array.from({ length: count }, (_, index) =>
    askWithoutReading(paths[index % paths.length] ?? ''),
  );
  await victimRuns();
  await victimRuns();
  const growth = residentMemory(server.child.pid) - before;
  for (const socket of sockets) socket.destroy();
  return growth;
}

// Bound: Whole answers above 64 KiB, such as listings and scripts.
attack(
  'memory-whole-answers',
  async () => {
    const paths = ['/subscriptions', '/agents', '/channels'];
    expect(await growthWithout(paths, 300)).toBeLessThan(300 * MIB);
    const listed = await eventually('a whole listing', async () => {
      const answer = await attacker.call('GET', '/subscriptions');
      expect([200, 503]).toContain(answer.code);
      return answer.code === 200 ? answer : null;
    });
    // The subscriptions of the attack before are listed.
    expect(listed.text.length).toBeGreaterThan(MIB);
    expect(server.child.isRunning).toBe(true);
  },
  240_000,
);

attack(
  'memory-orders',
  async () => {
    const agent = await attacker.call('POST', '/agents', {
      body: {
        apiVersion: 'opentestfactory.org/v1alpha1',
        kind: 'AgentRegistration',
        metadata: { name: 'reads nothing', namespaces: 'team-a' },
        spec: { tags: ['linux', 'mute'], protocol: 'tutti.v1', workspace_dir: '/tmp' },
      },
    });
    const { uuid } = detailsOf(agent);
    const large = oneJob('large', [sh(`: €${'x'.repeat(2_000_000)}`)], {
      'runs-on': ['linux', 'mute'],
    });
    const id = await start(attacker, large, 'namespace=team-a');
    await eventually('an order', async () => {
      const { code, text } = await attacker.call('GET', `/agents/${uuid}`);
      return code === 200 && text.length > 2_000_000;
    });
    expect(await growthWithout([`/agents/${uuid}`], 400)).toBeLessThan(300 * MIB);
    await attacker.call('DELETE', `/workflows/${id}`);
    expect(server.child.isRunning).toBe(true);
  },
  240_000,
);

/** Results that each make a large listing and a large page; all together exceed the heap. */
const LARGE_RESULTS = 60;

// Bound: Texts of a test case in data sources.
attack(
  'memory-test-results',
  async () => {
    await bench.agent(server, { tags: ['linux', 'a'], name: 'a', namespaces: 'team-a' });
    const attach = sh(
      `for i in $(seq ${LARGE_RESULTS}); do echo > f$i; echo "::attach::$PWD/f$i"; done`,
    );
    const id = await start(
      attacker,
      {
        metadata: { name: 'results' },
        jobs: {
          tested: { 'runs-on': ['linux', 'a'], steps: [attach] },
          waits: { 'runs-on': ['linux', 'nobody'], steps: [sh('true')] },
        },
      },
      'namespace=team-a',
    );
    const { metadata } = await eventually('the attachments', async () => {
      const { items } = detailsOf(
        await attacker.call('GET', `/workflows/${id}/status`, { query: 'per_page=1000' }),
      );
      return (Array.isArray(items) ? items : []).find(
        ({ kind, metadata: of }) => kind === 'ExecutionResult' && of.attachments !== undefined,
      );
    });
    const text = `€${'x'.repeat(3_900_000)}`;
    for (const { uuid } of Object.values<Loose>(metadata.attachments)) {
      const result = { id: uuid, name: `s#${uuid}`, status: 'FAILURE', duration: 1 };
      const body = {
        apiVersion: 'v1',
        kind: 'Notification',
        metadata: { name: 'results', workflow_id: id, attachment_origin: [uuid] },
        spec: { testResults: [{ ...result, attachment_origin: uuid, failureDetails: { text } }] },
      };
      await eventually('it is stored', async () => {
        const { code } = await attacker.call('POST', '/publications', { body });
        expect([200, 429, 503]).toContain(code);
        return code === 200;
      });
    }
    const page = await attacker.call('GET', `/workflows/${id}/datasources/testcases`);
    expect(detailsOf(page).items).toHaveLength(LARGE_RESULTS);
    await attacker.call('DELETE', `/workflows/${id}`);
    expect(await ended(attacker, id)).toBe('FAILED');
    const rule = { scope: "test.outcome == 'failure'", threshold: '100%' };
    const gates = Array.from({ length: 8 }, () =>
      attacker.call('POST', `/workflows/${id}/qualitygate`, {
        query: 'mode=g&timeout=60',
        body: { qualitygates: [{ name: 'g', rules: [{ name: 'r', rule }] }] },
      }),
    );
    for (const { code, text: actual } of await Promise.all(gates)) {
      expect(code).toBe(200);
      expect(actual).toContain(`"tests_in_scope":${LARGE_RESULTS}`);
    }
    expect(server.child.isRunning).toBe(true);
  },
  240_000,
);
