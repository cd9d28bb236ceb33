/** Configurations, keys and addresses of existing clients, with all the options that these have for them. */
import { generateKeyPairSync } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { oneJob, sh } from '../../support/runs.ts';
import { type ServerChild, Workbench } from '../../support/workbench.ts';
import { featuresOf } from '../feature.ts';
import { openTls } from '../tls-endpoint.ts';
import { CLIENT_AREA } from './area.ts';
import { idOf, openCtl } from './ctl.ts';
import { freePorts, onPorts, type Ports, SERVICES } from './service-places.ts';
import { MIDDLE } from './subjects.ts';

const NOWHERE = 'http://127.0.0.1:9';
const PASSPHRASE = 'open sesame';
const WAITING = oneJob('waiting', [sh('true')], { 'runs-on': 'nowhere' });

let bench: Workbench;
let server: ServerChild;
/** One that needs no token. */
let open: ServerChild;
let ports: Ports;
const feature = featuresOf(CLIENT_AREA);
const encrypted = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: {
    ...{ type: 'pkcs8', format: 'pem' },
    ...{ cipher: 'aes-256-cbc', passphrase: PASSPHRASE },
  },
});

beforeAll(async () => {
  bench = await Workbench.open();
  ports = await freePorts();
  const path = bench.path('key.pub');
  await writeFile(path, encrypted.publicKey);
  const auth = { trustedKeys: [{ path, namespaces: '*' }] };
  [server, open] = await Promise.all([
    bench.server({ config: { ...onPorts(ports), auth } }),
    bench.server({ config: { auth: { insecureLogin: true } } }),
  ]);
});

afterAll(() => bench.close());

feature('works with an empty token where none is needed', async (run) => {
  const ctl = await openCtl(bench, { url: open.url, token: '' }, run);
  await ctl.write('waiting.yaml', WAITING);
  const id = idOf(await ctl.run('run', 'workflow', 'waiting.yaml'));
  expect((await ctl.run('get', 'workflow', id)).stdout).toContain('nowhere');
  expect((await ctl.run('kill', 'workflow', id)).code).toBe(0);
  expect((await ctl.run('get', 'subscriptions')).stdout).toContain('arranger');
  const wrong = await openCtl(bench, { url: open.url, token: 'none' }, run);
  await wrong.write('waiting.yaml', WAITING);
  expect((await wrong.run('run', 'workflow', 'waiting.yaml')).code).toBe(1);
});

feature('takes a certificate that nobody vouches for, only if it is told to', async (run) => {
  const place = { url: await openTls(server, run.context), token: server.token };
  const get = ['get', 'subscriptions'];
  const ctl = await openCtl(bench, place, run);
  const refused = await ctl.run(...get);
  expect([refused.code, refused.stdout]).toEqual([2, '']);
  expect((await ctl.run(...get, '--insecure-skip-tls-verify=true')).stdout).toContain('arranger');
  const orchestrator = { 'insecure-skip-tls-verify': true };
  const actual = await openCtl(bench, place, run, { orchestrator });
  expect((await actual.run(...get)).stdout).toContain('arranger');
});

feature('makes a configuration, from options and answers, and works with it', async (run) => {
  const ctl = await openCtl(bench, { url: NOWHERE, token: 'none' }, run);
  const options = SERVICES.map((name) => `--orchestrator-${name}-port=${ports[name]}`);
  const { hostname } = new URL(server.url);
  const host = `http://${hostname}`;
  // The middle one has no stores of files and reports.
  const known = run.subject === MIDDLE ? options.slice(0, 6) : options;
  const given = ['--name=given', `--orchestrator-server=${host}`, `--token=${server.token}`];
  const whole = ['--insecure-skip-tls-verify=false', ...given, ...known];
  for (const [input, words, name] of [
    ['', whole, 'given'],
    [`asked\n${host}\nfalse\n${server.token}\n`, known, 'asked'],
  ] as const) {
    const { code, stdout } = await ctl.answer(input, 'config', 'generate', ...words);
    expect(code).toBe(0);
    // Questions come first, and need not end their line.
    await ctl.write(name, stdout.slice(stdout.indexOf('apiVersion:')));
    const env = { OPENTF_CONFIG: join(ctl.home, name) };
    const listed = await ctl.start(['get', 'subscriptions'], { env }).whenEnded;
    expect(listed.stdout).toContain('arranger');
    const context = [`--opentfconfig=${name}`, `--context=${name}`];
    await ctl.write('waiting.yaml', WAITING);
    const id = idOf(await ctl.run('run', 'workflow', 'waiting.yaml', ...context));
    expect((await ctl.run('kill', 'workflow', id, ...context)).code).toBe(0);
  }
});

feature('writes ports, prefixes and delays of services, also over older forms', async (run) => {
  const ctl = await openCtl(bench, { url: NOWHERE, token: server.token }, run, {
    orchestrator: { ports: { observer: 9 } },
  });
  const set = (...words: readonly string[]) =>
    ctl.run('config', 'set-orchestrator', 'here', ...words);
  const words = [
    ...SERVICES.map((name) => `--${name}-port=${ports[name]}`),
    ...SERVICES.map((name) => `--${name}-prefix=of/${name}`),
    ...['--observer-force-base-url=true', '--insecure-skip-tls-verify=true'],
    ...['--warmup-delay=0', '--polling-delay=1', '--max-retry=0'],
  ];
  expect((await set(...words)).code).toBe(0);
  expect((await ctl.run('config', 'set-context', '--current', '--namespace=team')).code).toBe(0);
  const written = await readFile(join(ctl.home, '.opentf/config'), 'utf8');
  expect(written).toContain('force-base-url: true');
  expect(written).not.toContain('ports:');
  await ctl.write('waiting.yaml', WAITING);
  const id = idOf(await ctl.run('run', 'workflow', 'waiting.yaml'));
  expect((await ctl.run('get', 'workflow', id)).stdout).toContain('(running in namespace "team")');
  expect((await ctl.run('get', 'agents')).code).toBe(0);
  for (const wrong of ['--observer-port=x', '--max-retry=-1', '--observer-force-base-url=x']) {
    expect((await set(wrong)).code, wrong).toBe(2);
  }
});

feature('makes a token with an encrypted key, and writes it to a file', async (run) => {
  const ctl = await openCtl(bench, { ...server, token: 'none' }, run);
  await ctl.write('key', encrypted.privateKey);
  await ctl.write('key.pub', encrypted.publicKey);
  const make = (answers: string, algorithm: string, expiration: string) =>
    ctl.answer(
      answers,
      ...['generate', 'token', 'using', 'key', `--algorithm=${algorithm}`, '--issuer=us'],
      ...['--subject=a person', `--expiration=${expiration}`, '--output-file=token'],
    );
  expect((await make('wrong\n', 'RS512', '')).code).toBe(2);
  expect((await make('\n', 'RS512', '')).code).toBe(2);
  const get = async () => {
    const token = await readFile(join(ctl.home, 'token'), 'utf8');
    return ctl.run('get', 'subscriptions', `--token=${token}`, '--max-retry=0');
  };
  expect((await make(`${PASSPHRASE}\n`, 'RS512', '')).code).toBe(0);
  expect((await get()).stdout).toContain('arranger');
  // The command asks before it overwrites an existing file.
  expect((await make(`${PASSPHRASE}\nn\n`, 'PS384', '2020/01/01')).code).toBe(2);
  expect((await get()).code).toBe(0);
  expect((await make(`${PASSPHRASE}\ny\n`, 'PS384', '2020/01/01')).code).toBe(0);
  const expired = await get();
  expect([expired.code, expired.stderr]).toEqual([2, expect.stringContaining('401')]);
  const token = await readFile(join(ctl.home, 'token'), 'utf8');
  expect((await ctl.run('view', 'token', token)).stdout).toContain("'exp': '2020/01/01'");
  expect((await ctl.run('check', 'token', token, 'using', 'key.pub')).code).toBe(2);
  expect((await make(`${PASSPHRASE}\n`, 'RS512', '01/02/2030')).code).toBe(2);
});

feature('takes options in all their forms, and refuses those that are none', async (run) => {
  const ctl = await openCtl(bench, server, run);
  const listed = await ctl.run('options');
  expect([listed.code, listed.stdout]).toEqual([0, expect.stringContaining('--opentfconfig')]);
  const get = ['get', 'subscriptions'];
  for (const words of [
    ['--max-retry', '0', ...get],
    [...get, '--max_retry=0', '--polling_delay', '0'],
    [...get, '--warmup-delay=0'],
  ]) {
    expect((await ctl.run(...words)).stdout, words.join(' ')).toContain('arranger');
  }
  for (const words of [
    [...get, '--nonsense=1'],
    [...get, '--max-retry=0', '--max-retry=1'],
    [...get, '--max-retry=none'],
    [...get, '--output'],
  ]) {
    expect((await ctl.run(...words)).code, words.join(' ')).toBe(2);
  }
});
