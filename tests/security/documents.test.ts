/** Documents that are costly to read, sent to every endpoint that takes one. */
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, vi } from 'vitest';
import { type Answer, bodyOf, detailsOf } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { type ExistingAgent, registerExisting } from '../support/existing-agent.ts';
import { ended, oneJob, sh, start } from '../support/runs.ts';
import { Workbench } from '../support/workbench.ts';
import { attack } from './attack.ts';
import {
  ADD_MASK,
  BOMBS,
  type Bomb,
  GATE_BOMBS,
  INSIGHT_BOMBS,
  LARGEST_BOMBS,
  OUTPUT_BOMBS,
  PATCH_BOMBS,
  POST_BOMBS,
  publicationBombs,
} from './bombs.ts';
import { type MeasuredServer, measuredServer, TURN_MS_MAX } from './measured-server.ts';
import { openStream } from './open-stream.ts';

vi.setConfig({ testTimeout: 300_000 });

let bench: Workbench;
let server: MeasuredServer;
/** A run that nobody carries out. */
let run: string;
let agent: string;

beforeAll(async () => {
  bench = await Workbench.open();
  server = await measuredServer(bench);
  run = await start(server, oneJob('waits', [sh('true')], { 'runs-on': 'nowhere' }));
  agent = (await registerExisting(server, ['linux'])).id;
});

afterAll(async () => {
  if (!server.child.isRunning) process.stderr.write(bench.report());
  await bench.close();
});

interface Document {
  readonly type: string;
  readonly text: string;
}

const post = (path: string, { type, text }: Document, query?: string): Promise<Answer> =>
  server.call('POST', path, {
    headers: { 'content-type': type },
    body: text,
    ...(query === undefined ? {} : { query }),
  });

/** Documents that are sent together, as long as no turn is long. */
const TOGETHER = { count: 16, length: 8 * 1024 * 1024 };

interface NamedDocument extends Document {
  readonly name: string;
}

/** Sends documents, while an agent asks for work. Answers what was too much for a turn: after a long turn, each of the group alone. */
async function longTurns(
  documents: readonly NamedDocument[],
  send: (document: Document) => Promise<Answer>,
): Promise<readonly string[]> {
  // The first document of each kind makes the server load modules, which should not be measured.
  await send({ type: 'application/yaml', text: 'metadata: {name: small}' });
  await send({ type: 'application/json', text: '{"metadata": {"name": "small"}}' });
  const found: string[] = [];
  for (const group of groupsOf(documents)) {
    await server.longestTurn();
    const failed = await failuresIn(group.map(send));
    if (failed === null && (await server.longestTurn()) <= TURN_MS_MAX) continue;
    for (const document of group) {
      const problem = await server.longTurn(() => failuresIn([send(document)]));
      if (problem !== null) found.push(`${document.type} ${document.name}: ${problem}`);
    }
  }
  return found;
}

function groupsOf(documents: readonly NamedDocument[]): readonly (readonly NamedDocument[])[] {
  const groups: NamedDocument[][] = [];
  let length = Infinity;
  for (const document of documents) {
    const last = groups.at(-1);
    length += document.text.length;
    if (last !== undefined && last.length < TOGETHER.count && length <= TOGETHER.length) {
      last.push(document);
    } else {
      groups.push([document]);
      length = document.text.length;
    }
  }
  return groups;
}

/** An agent that asks without a pause would take the processor from what is measured. */
const HEARTBEAT_MS = 10;

/** The codes of failures among the answers; null without any. Until all answers are there, an agent is answered as well. */
async function failuresIn(answers: readonly Promise<Answer>[]): Promise<string | null> {
  let isAnswered = false;
  const sent = Promise.all(answers).finally(() => {
    isAnswered = true;
  });
  do {
    const beat = await server.call('GET', `/agents/${agent}`);
    expect(beat.code).toBeLessThan(300);
    await Promise.race([sent, pause(HEARTBEAT_MS)]);
  } while (!isAnswered);
  const failed = (await sent).map(({ code }) => code).filter((code) => code >= 500);
  return failed.length === 0 ? null : failed.join(', ');
}

const texts = (bombs: readonly Bomb[]) => bombs.map((bomb) => ({ ...bomb, text: bomb.text() }));
const DOCUMENTS = texts(BOMBS);

/**
 * The endpoints share one reader of documents. So the first one gets all documents, and each of the ten others a tenth. Together, those
 * get all. `TUTTI_DOCUMENTS=all` sends all to each.
 */
const SHARES = process.env.TUTTI_DOCUMENTS === 'all' ? 1 : 10;
const shareOf = (index: number) => DOCUMENTS.filter((_, at) => at % SHARES === index % SHARES);

attack('documents-start', async () => {
  const documents = [...DOCUMENTS, ...texts(LARGEST_BOMBS)];
  expect(await longTurns(documents, (each) => post('/workflows', each))).toEqual([]);
});

attack('documents-dry-run', async () => {
  const send = (each: Document) => post('/workflows', each, 'dryRun');
  expect(await longTurns(shareOf(1), send)).toEqual([]);
});

attack('documents-form', async () => {
  const send = ({ text }: Document) => {
    const body = new FormData();
    body.set('workflow', text);
    body.set('variables', text.slice(0, 1024 * 1024));
    body.set('inputs', text.slice(0, 1024 * 1024));
    return server.call('POST', '/workflows', { body, query: 'dryRun' });
  };
  expect(await longTurns(shareOf(2), send)).toEqual([]);
});

attack('documents-called', async () => {
  const workflow = 'metadata: {name: calls}\nresources: {files: [f]}\njobs: {a: {uses: ./f}}\n';
  const send = ({ text }: Document) => {
    const body = new FormData();
    body.set('workflow', workflow);
    body.set('f', new Blob([text]), 'f');
    return server.call('POST', '/workflows', { body });
  };
  expect(await longTurns(shareOf(3), send)).toEqual([]);
});

attack('documents-gate', async () => {
  const send = (each: Document) => post(`/workflows/${run}/qualitygate`, each, 'mode=m');
  expect(await longTurns([...shareOf(4), ...texts(GATE_BOMBS)], send)).toEqual([]);
});

attack('documents-insights', async () => {
  const send = (each: Document) => post(`/workflows/${run}/insights`, each, 'insight=*');
  expect(await longTurns([...shareOf(5), ...texts(INSIGHT_BOMBS)], send)).toEqual([]);
});

attack('documents-publication', async () => {
  const send = (each: Document) => post('/publications', { ...each, type: 'application/json' });
  expect(await longTurns([...shareOf(6), ...texts(publicationBombs(run))], send)).toEqual([]);
});

attack('documents-at-once', async () => {
  const document = { type: 'application/json', text: `[${'"",'.repeat(350_000)}""]` };
  const problem = await server.longTurn(async () => {
    const answers = Array.from({ length: 60 }, () => post('/publications', document));
    const codes = (await Promise.all(answers)).map(({ code }) => code);
    expect(new Set(codes)).toEqual(new Set([400]));
    return null;
  });
  expect(problem).toBeNull();
});

attack('documents-subscription', async () => {
  const send = (each: Document) => post('/subscriptions', { ...each, type: 'application/json' });
  expect(await longTurns(shareOf(7), send)).toEqual([]);
});

attack('documents-registration', async () => {
  const send = (each: Document) => post('/agents', { ...each, type: 'application/json' });
  expect(await longTurns(shareOf(8), send)).toEqual([]);
});

attack('documents-agents', async () => {
  const send = ({ text }: Document) =>
    server.call('PATCH', '/agents', {
      headers: { 'content-type': 'application/json' },
      body: text,
    });
  expect(await longTurns([...shareOf(9), ...texts(PATCH_BOMBS)], send)).toEqual([]);
});

attack('documents-post', async () => {
  const send = (each: Document) => post(`/agents/${agent}`, { ...each, type: 'application/json' });
  expect(await longTurns([...shareOf(10), ...texts(POST_BOMBS)], send)).toEqual([]);
});

/** The agent got its first step, and carries it out from here on. */
async function beginStep(agent: ExistingAgent): Promise<void> {
  for (;;) {
    const order = await agent.work();
    if (order.kind === 'put') await agent.getFile(order.file_id);
    else if (!String(order.command).includes('_-1.sh')) return;
    else await agent.post({ stdout: [], stderr: [], exit_status: 0 });
  }
}

// Bound: Characters of a line that are searched for masked texts.
attack('documents-output', async () => {
  const printing = await registerExisting(server, ['printing']);
  const job = oneJob('prints', [sh('true')], { 'runs-on': 'printing' });
  await start(server, job);
  await beginStep(printing);
  await printing.post({ stdout: [ADD_MASK] });
  const send = (each: Document) =>
    post(`/agents/${printing.id}`, { ...each, type: 'application/json' });
  expect(await longTurns(texts(OUTPUT_BOMBS), send)).toEqual([]);
});

// Bound: Variables of a workflow, with given ones; secrets.
attack('documents-variables', async () => {
  const variables = Object.fromEntries(
    Array.from({ length: 4_097 }, (_, index) => [`V${index}`, 'x']),
  );
  const workflow = { ...oneJob('many', [sh('true')]), variables };
  const answer = await server.call('POST', '/workflows', { body: workflow });
  expect(bodyOf(answer)).toMatchObject({
    code: 422,
    message: expect.stringContaining('variables: must have at most 4096 entries'),
  });
  const body = new FormData();
  body.set('workflow', JSON.stringify({ ...workflow, variables: { OWN: 'x' } }));
  body.set(
    'variables',
    Object.keys(variables)
      .slice(1)
      .map((name) => `${name}=x`)
      .join('\n'),
  );
  expect(bodyOf(await server.call('POST', '/workflows', { body }))).toMatchObject({
    code: 422,
    message: 'A run may have at most 4096 variables, and not 4097.',
  });
});

/** So many agents of a namespace that has nothing else, which take no jobs. */
async function drainingAgents(count: number, tags: readonly string[]): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const { id } = await registerExisting(server, tags, { metadata: { namespaces: 'crowd' } });
    await server.call('POST', `/agents/${id}/drain`);
    ids.push(id);
  }
  return ids;
}

attack('documents-tags', async () => {
  const tags = Array.from({ length: 20 }, (_, index) => `t${index}`);
  const sets = tags.flatMap((one) =>
    tags.flatMap((two) => tags.map((three) => [...new Set([one, two, three])].sort())),
  );
  const different = [...new Map(sets.map((each) => [each.join(), each])).values()].slice(0, 1000);
  const jobs = Object.fromEntries(
    different.map((each, index) => [`j${index}`, { 'runs-on': each, steps: [sh('true')] }]),
  );
  const [id] = await drainingAgents(300, tags);
  const problem = await server.longTurn(async () => {
    const workflow = await start(server, { metadata: { name: 'crowd', namespace: 'crowd' }, jobs });
    await eventually('a thousand jobs that wait', async () => {
      const { count } = detailsOf(await server.call('GET', `/agents/${id}/queue`));
      return count === different.length;
    });
    await server.call('DELETE', `/workflows/${workflow}`);
    expect(await ended(server, workflow)).toBe('FAILED');
    return null;
  });
  expect(problem).toBeNull();
});

/** Each of them reads the event, looks for masked texts in it and sends it. */
const FOLLOWERS = 100;

attack('followed-events', async () => {
  const id = await start(server, oneJob('followed', [sh('true')], { 'runs-on': 'nowhere' }));
  const streams = Array.from({ length: FOLLOWERS }, () =>
    openStream(`${server.url}/workflows/${id}/status`, server.token, {
      accept: 'text/event-stream',
    }),
  );
  await eventually('their first events', () => streams.every(({ text }) => text !== ''));
  const logs = Array.from({ length: 60 }, () => 'x'.repeat(60_000));
  const problem = await server.longTurn(async () => {
    const lengths = streams.map(({ text }) => text.length);
    const metadata = { name: 'large', workflow_id: id };
    const body = { apiVersion: 'v1', kind: 'Notification', metadata, spec: { logs } };
    expect((await server.call('POST', '/publications', { body })).code).toBe(200);
    await eventually('the event at each of them', () =>
      streams.every(({ text }, index) => text.length > (lengths[index] ?? 0) + 3_600_000),
    );
    return null;
  });
  for (const stream of streams) stream.close();
  expect(problem).toBeNull();
});

attack('printed-lines', async () => {
  await bench.agent(server, { tags: ['prints'], name: 'prints' });
  const workflow = oneJob('prints', [sh('seq 1 2000000')], { 'runs-on': 'prints' });
  const problem = await server.longTurn(async () => {
    expect(await ended(server, await start(server, workflow))).toBe('DONE');
    return null;
  });
  expect(problem).toBeNull();
});

// Bound: Unanswered requests of one connection.
attack('requests-in-a-packet', async () => {
  const { hostname, port } = new URL(server.url);
  const packet = 'GET /version HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(2_000);
  const problem = await server.longTurn(async () => {
    const sockets = Array.from({ length: 20 }, () => connect(Number(port), hostname));
    const closed = sockets.map((socket) => {
      socket.on('error', () => undefined).resume();
      return new Promise((resolve) => socket.on('close', resolve));
    });
    for (const socket of sockets) socket.write(packet);
    await Promise.all(closed);
    return null;
  });
  expect(problem).toBeNull();
});

attack('many-cancels', async () => {
  const workflow = oneJob('waits', [sh('true')], { 'runs-on': 'nowhere' });
  const problem = await server.longTurn(async () => {
    await Promise.all(
      Array.from({ length: 30 }, async () => {
        for (let count = 0; count < 33; count += 1) {
          const id = await start(server, workflow);
          expect((await server.call('DELETE', `/workflows/${id}`)).code).toBe(200);
        }
      }),
    );
    return null;
  });
  expect(problem).toBeNull();
});

attack('searched-events', async () => {
  const id = await start(server, oneJob('searched', [sh('true')], { 'runs-on': 'nowhere' }));
  const publish = async (name: string) => {
    const metadata = { name, workflow_id: id };
    const body = { apiVersion: 'v1', kind: 'Notification', metadata, spec: { logs: ['x'] } };
    expect((await server.call('POST', '/publications', { body })).code).toBe(200);
  };
  await Promise.all(
    Array.from({ length: 50 }, async (_, client) => {
      for (let count = 0; count < 400; count += 1) await publish(`n${client}-${count}`);
    }),
  );
  let searches = 0;
  const search = () => {
    searches += 1;
    const names = Array.from({ length: 90 }, (_, index) => `metadata.name!=x${searches}-${index}`);
    const query = `fieldSelector=${encodeURIComponent(names.join(','))}`;
    return server.call('GET', `/workflows/${id}/status`, { query });
  };
  // The first one reads all events.
  await search();
  const problem = await server.longTurn(async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, search));
    expect(answers.map(({ code }) => code)).toEqual(Array(12).fill(200));
    return null;
  });
  expect(problem).toBeNull();
});
