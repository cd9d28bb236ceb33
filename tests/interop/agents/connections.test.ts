/** Connections of existing agents: their way to a server, their tokens, and their end. */
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { phaseOf } from '../../support/existing-agent.ts';
import { ended, logTexts, oneJob, sh, start, statusOf } from '../../support/runs.ts';
import { signedToken } from '../../support/tokens.ts';
import { type ServerChild, Workbench } from '../../support/workbench.ts';
import { agentsNamed } from '../agent-listing.ts';
import { featuresOf } from '../feature.ts';
import { openTls } from '../tls-endpoint.ts';
import { launchAgent, startAgent } from './agent-program.ts';
import { AGENTS } from './area.ts';

const PREFIX = '/agentchannel';

let bench: Workbench;
let server: ServerChild;
/** One that needs no token. */
let open: ServerChild;
/** Its tokens reach the namespace "ours" alone. */
let oursKey: KeyObject;
const feature = featuresOf(AGENTS);

beforeAll(async () => {
  bench = await Workbench.open();
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  oursKey = pair.privateKey;
  const path = bench.path('ours.pem');
  await writeFile(path, pair.publicKey.export({ type: 'spki', format: 'pem' }));
  const trustedKeys = [{ path, namespaces: 'ours' }];
  const services = [{ name: 'agentchannel', prefix: PREFIX }];
  [server, open] = await Promise.all([
    bench.server({ config: { services, auth: { trustedKeys } } }),
    bench.server({ config: { auth: { insecureLogin: true } } }),
  ]);
});

afterAll(() => bench.close());

const oursToken = () =>
  signedToken(oursKey, { header: { alg: 'ES256' }, claims: { iss: 'us', sub: 'agents' } });

const startIn = (namespace: string, tag: string): Promise<string> =>
  start(server, oneJob(tag, [sh('true')], { 'runs-on': tag }), `namespace=${namespace}`);

feature('works behind a path prefix', async (run) => {
  const { tag } = await startAgent(bench, server, run, { options: ['--path_prefix', PREFIX] });
  expect(await ended(server, await startIn('default', tag))).toBe('DONE');
  // Old ones write "//agents" with a slash in front of the prefix that ends with one as well.
  const other = { ...run, id: `${run.id}slashes` };
  await startAgent(bench, server, other, { options: ['--path_prefix', `${PREFIX}/`] });
  expect(await ended(server, await startIn('default', other.id))).toBe('DONE');
});

feature('takes a certificate that nobody vouches for, only if it is told to', async (run) => {
  const url = await openTls(server, run.context);
  const once = { url, options: ['--retry', '1'] };
  const { program } = await launchAgent(bench, server, run, once);
  expect((await program.whenEnded).code).toBe(2);
  expect(await agentsNamed(server, run.id)).toEqual([]);
  const { tag } = await startAgent(bench, server, run, { url, options: ['--verify', 'false'] });
  expect(await ended(server, await startIn('default', tag))).toBe('DONE');
});

feature('is told that it needs a token, and ends with 2', async (run) => {
  for (const token of [null, 'no.such.token']) {
    const { program } = await launchAgent(bench, server, run, { token });
    const { code, stderr } = await program.whenEnded;
    expect(code).toBe(2);
    expect(stderr).toMatch(/[Tt]oken/);
  }
  expect(await agentsNamed(server, run.id)).toEqual([]);
});

feature(
  'runs jobs without a token where none is needed, and ends with 2 with a wrong one',
  async (run) => {
    const wrong = await launchAgent(bench, open, run, { token: 'no.such.token' });
    expect((await wrong.program.whenEnded).code).toBe(2);
    const { tag } = await startAgent(bench, open, run, { token: null });
    const steps = [sh('echo a > made; echo "::attach::made"'), sh('cat made')];
    const id = await start(open, oneJob(tag, steps, { 'runs-on': tag }));
    expect(await ended(open, id)).toBe('DONE');
    expect(await logTexts(open, id)).toContain('a');
  },
);

feature('works with a token for its namespaces alone', async (run) => {
  const token = oursToken();
  const refused = await launchAgent(bench, server, run, { token });
  const { code, stderr } = await refused.program.whenEnded;
  expect([code, stderr]).toEqual([2, expect.stringContaining('default')]);
  await startAgent(bench, server, run, { token, options: ['--namespaces', 'ours'] });
  expect(await ended(server, await startIn('ours', run.id))).toBe('DONE');
});

feature('gets jobs of its namespaces, and of no other', async (run) => {
  await startAgent(bench, server, run, { options: ['--namespaces', 'one,two'] });
  const other = await startIn('default', run.id);
  expect(await ended(server, await startIn('one', run.id))).toBe('DONE');
  expect(await ended(server, await startIn('two', run.id))).toBe('DONE');
  expect(await statusOf(server, other)).toBe('PENDING');
});

feature('is unreachable when it is silent for longer than its liveness probe', async (run) => {
  const { id, program } = await startAgent(bench, server, run, {
    options: ['--liveness_probe', '3'],
  });
  const phaseIs = (phase: string) =>
    eventually(`${run.id} is ${phase}`, async () => (await phaseOf(server, id)) === phase);
  program.signal('SIGSTOP');
  await phaseIs('UNREACHABLE');
  program.signal('SIGCONT');
  await phaseIs('IDLE');
  expect(await ended(server, await startIn('default', run.id))).toBe('DONE');
});

feature('de-registers when it is interrupted, and ends with 0', async (run) => {
  const { program } = await startAgent(bench, server, run);
  expect((await program.interrupt()).code).toBe(0);
  expect(await agentsNamed(server, run.id)).toEqual([]);
});
