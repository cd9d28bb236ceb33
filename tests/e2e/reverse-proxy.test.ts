/** The nginx configuration of docs/operate/reverse-proxy.md, in a real nginx in front of a real server. */
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { blocksOf } from '../structure/document-blocks.ts';
import { readRepositoryFile } from '../structure/source-files.ts';
import { type Api, bodyOf, createApi, eventsOf, nextLinkOf } from '../support/api.ts';
import { exchange, formWithFile, MIB, open } from '../support/big-content.ts';
import { eventually } from '../support/eventually.ts';
import { createGate } from '../support/gate.ts';
import { allEvents, ended, logOf, oneJob, only, sh, start } from '../support/runs.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';
import { type CliProcess, runCli, startCli } from './cli-process.ts';
import { findNginx, makeCertificate, type Nginx, startNginx } from './nginx-process.ts';

const program = findNginx();

/** Addresses of a service for clients: a port and a path prefix. */
const ways = [
  ['one address', 'conf.d/tutti.conf', 443, ''],
  ['the port of the observer', 'conf.d/tutti-ports.conf', 7775, ''],
  ['the port of the receptionist', 'conf.d/tutti-ports.conf', 7774, ''],
  ['the prefix of the observer', 'conf.d/tutti-prefixes.conf', 443, '/observer'],
] as const;
const agentWays = [
  ['one-address', 'conf.d/tutti.conf', 443, ''],
  ['own-port', 'conf.d/tutti-ports.conf', 24368, ''],
  ['own-prefix', 'conf.d/tutti-prefixes.conf', 443, '/agentchannel'],
] as const;

const WITH_FILE = JSON.stringify({
  ...oneJob('with a file', [sh('true')], { 'runs-on': 'nowhere' }),
  resources: { files: ['data'] },
});

describe.skipIf(program === null)('nginx, as the document configures it', () => {
  let bench: Workbench;
  let server: ServerChild;
  let nginx: Nginx;
  let env: Readonly<Record<string, string>>;
  const agents: CliProcess[] = [];
  let done: string;

  const address = (file: string, port: number, prefix: string) =>
    `https://localhost:${nginx.port(file, port)}${prefix}`;
  const through = (file: string, port: number, prefix = ''): Api =>
    createApi(address(file, port, prefix), server.token);

  beforeAll(async () => {
    bench = await Workbench.open();
    server = await bench.server();
    const folder = bench.path('nginx');
    await mkdir(folder);
    const certificate = makeCertificate(folder);
    setDefaultCACertificates([
      ...getCACertificates('default'),
      readFileSync(certificate.file, 'utf8'),
    ]);
    env = { NODE_EXTRA_CA_CERTS: certificate.file, TUTTI_TOKEN: server.token };
    const blocks = blocksOf(readRepositoryFile('docs/operate/reverse-proxy.md'), 'nginx');
    const upstream = new URL(server.url).host;
    nginx = await startNginx({ program: program ?? '', folder, blocks, upstream, certificate });
    for (const [tag, file, port, prefix] of agentWays)
      await startAgent(tag, address(file, port, prefix));
    done = await start(
      server,
      oneJob('done', [sh('echo one'), sh('echo two')], { 'runs-on': 'own-port' }),
    );
    expect(await ended(server, done)).toBe('DONE');
  });

  afterAll(async () => {
    for (const agent of agents) agent.kill('SIGKILL');
    await nginx?.stop();
    await bench.close();
  });

  async function startAgent(tag: string, url: string): Promise<void> {
    const workspace = ['--workspace-dir', bench.path(tag)];
    const args = ['agent', '--server', url, '--tags', `linux,${tag}`, '--name', tag, ...workspace];
    const agent = startCli(args, { cwd: bench.folder, env });
    agents.push(agent);
    await agent.said(/The agent is registered/);
  }

  test.each(ways)(
    // HTTP 4.1: Links repeat `per_page` within its limits, and the selectors.
    '%s: pages lead on to each other, as they are',
    async (_way, file, port, prefix) => {
      const api = through(file, port, prefix);
      const events: unknown[] = [];
      const query = 'per_page=2&fieldSelector=kind!=Nothing';
      let url: string | null = `${api.url}/workflows/${done}/status?${query}`;
      while (url !== null) {
        expect(url.startsWith(`${api.url}/workflows/${done}/status?`), url).toBe(true);
        const response: Response = await fetch(url, {
          headers: { authorization: `Bearer ${server.token}` },
        });
        const answer = {
          code: response.status,
          headers: response.headers,
          text: await response.text(),
        };
        expect(answer.code).toBe(200);
        events.push(...eventsOf(answer));
        url = nextLinkOf(answer);
      }
      expect(events).toEqual(await allEvents(server, done));
    },
  );

  test.each(ways)(
    // HTTP 4.1: Links repeat `per_page` within its limits, and the selectors.
    '%s: what clients say of their address is dropped',
    async (_way, file, port, prefix) => {
      const api = through(file, port, prefix);
      const answer = await api.call('GET', `/workflows/${done}/status`, {
        query: 'per_page=1',
        headers: {
          'x-forwarded-proto': 'http',
          'x-forwarded-host': 'evil.example',
          'x-forwarded-port': '1',
          'x-forwarded-prefix': '/evil',
        },
      });
      expect(nextLinkOf(answer)).toBe(`${api.url}/workflows/${done}/status?per_page=1&page=2`);
    },
  );

  // HTTP 4.3: Files of agents have an address each, for GET, POST and PUT.
  test.each(agentWays)('%s: an agent works, and sends files', async (tag, file, port, prefix) => {
    const step = sh('echo "from $((6 * 7))"; echo content > left; echo "::attach::$PWD/left"');
    const id = await start(server, oneJob('attaches', [step], { 'runs-on': tag }));
    expect(await ended(server, id)).toBe('DONE');
    expect(await logOf(server, id)).toContain('] from 42\n');
    const [attachment] = only(await allEvents(server, id), 'ExecutionResult').flatMap(
      ({ metadata }) => Object.values(metadata.attachments ?? {}),
    );
    const path = `/workflows/${id}/files/${attachment?.uuid}`;
    const answer = await through(file, port, prefix).call('GET', path);
    expect([answer.code, answer.text]).toEqual(
      port === 24368 ? [404, answer.text] : [200, 'content\n'],
    );
  });

  // HTTP 4.5: Logs: while the run goes on.
  test.each(ways)('%s: events come while the run goes on', async (_way, file, port, prefix) => {
    const gate = createGate(bench);
    const api = through(file, port, prefix);
    const id = await start(api, oneJob('watched', [gate.step], { 'runs-on': 'one-address' }));
    const response = await fetch(`${api.url}/workflows/${id}/status`, {
      headers: { authorization: `Bearer ${server.token}`, accept: 'text/event-stream' },
    });
    const decoder = new TextDecoder();
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      // The step is held until its output was read here.
      if (text.includes('"held"')) await gate.open();
    }
    expect(text).toContain('event: end\ndata: {"status":"DONE"}');
  });

  // HTTP 4.6: Files of any size, and a request that breaks off leaves nothing.
  test.each(ways)('%s: a file is stored while it is sent', async (_way, file, port, prefix) => {
    const form = formWithFile(WITH_FILE, 'data', 100 * MIB);
    const api = { ...through(file, port, prefix), token: server.token };
    const sent = open(api, 'POST', '/workflows', { headers: form.headers });
    const before = stored().length;
    const arrived = () => eventually('the file', () => stored().length > before);
    const answer = await exchange(sent, pausedIn(form.body(), 5, arrived));
    expect(answer.statusCode).toBe(201);
    answer.resume();
  });

  test('a client that leaves half-way leaves nothing behind the proxy either', async () => {
    const { headers, body } = formWithFile(WITH_FILE, 'data', 100 * MIB);
    const before = stored();
    const api = { ...through('conf.d/tutti.conf', 443), token: server.token };
    const sent = open(api, 'POST', '/workflows', { headers }).on('error', () => undefined);
    for (const piece of [...body()].slice(0, 5)) sent.write(piece);
    await eventually('the beginning', () => stored().length > before.length);
    sent.destroy();
    await eventually('the end', () => stored().length === before.length);
    expect(stored()).toEqual(before);
  });

  /** Files in the blob store, also those that are being written. */
  const stored = (): readonly string[] =>
    readdirSync(join(server.dataDir, 'blobs'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => name);

  // HTTP 1: A reverse proxy may stand in front, with a prefix for each service.
  test('the port of agents has nothing else', async () => {
    const api = through('conf.d/tutti-ports.conf', 24368);
    expect((await api.call('GET', '/agents')).code).toBe(200);
    expect((await api.call('GET', '/health')).text).toBe('OK');
    for (const path of ['/workflows', '/channels', '/agentsx', '/']) {
      const answer = await api.call('GET', path);
      expect([answer.code, answer.text.includes('nginx')], path).toEqual([404, true]);
    }
  });

  // HTTP 1: A reverse proxy may stand in front, with a prefix for each service.
  test('long queries, and refusals of the server, come through', async () => {
    const api = through('conf.d/tutti.conf', 443);
    const query = `labelSelector=a+in+(x)&more=${'x'.repeat(12_000)}`;
    expect((await api.call('GET', '/workflows', { query })).code).toBe(200);
    const refused = await api.call('GET', '/workflows', { headers: { authorization: '' } });
    expect(bodyOf(refused)).toMatchObject({ kind: 'Status', code: 401 });
    expect(refused.headers.get('strict-transport-security')).toContain('max-age');
  });

  test('the tutti command follows a run through a prefix', async () => {
    const url = address('conf.d/tutti-prefixes.conf', 443, '/receptionist');
    const file = bench.path('followed.json');
    const followed = oneJob('followed', [sh('echo "from $((6 * 7))"')], {
      'runs-on': 'own-prefix',
    });
    await writeFile(file, JSON.stringify(followed));
    const options = { cwd: bench.folder, env };
    const { code, stdout, stderr } = await runCli(
      ['run', file, '--wait', '--server', url],
      options,
    );
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('from 42');
  });
});

// HTTP 1: A reverse proxy may stand in front, with a prefix for each service.
test('what is shown for Traefik is YAML, and leads to the same server', () => {
  const blocks = blocksOf(readRepositoryFile('docs/operate/reverse-proxy.md'), 'yml');
  const paths = blocks.map((block) => block.split('\n')[0]);
  expect(paths.every((path) => path?.startsWith('# /etc/traefik/'))).toBe(true);
  const [first, second] = blocks.map((block): unknown => parse(block));
  expect(first).toMatchObject({
    providers: { file: { filename: paths[1]?.slice(2) } },
    entryPoints: { websecure: { transport: { respondingTimeouts: { readTimeout: 0 } } } },
  });
  const servers = [{ url: 'http://127.0.0.1:7700' }];
  expect(second).toMatchObject({ http: { services: { tutti: { loadBalancer: { servers } } } } });
});

/** Passes pieces on, and waits before the one with this number. */
async function* pausedIn(
  pieces: Iterable<Buffer>,
  number: number,
  wait: () => Promise<unknown>,
): AsyncGenerator<Buffer> {
  let passed = 0;
  for (const piece of pieces) {
    if (passed === number) await wait();
    passed += 1;
    yield piece;
  }
}
