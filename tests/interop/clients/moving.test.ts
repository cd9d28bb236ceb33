/** The configuration that existing clients write, imported: a server of ours that is found by them, and by our commands. */
import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect } from 'vitest';
import { parse, stringify } from 'yaml';
import { runCli } from '../../e2e/cli-process.ts';
import { freePort } from '../../support/free-port.ts';
import { oneJob, sh } from '../../support/runs.ts';
import { signedToken } from '../../support/tokens.ts';
import { Workbench } from '../../support/workbench.ts';
import { featuresOf } from '../feature.ts';
import { CLIENT_AREA } from './area.ts';
import { idOf, openCtl } from './ctl.ts';
import { OLD } from './subjects.ts';

const TUTTI = join(import.meta.dirname, '../../../cli/bin/tutti.js');
const NAMES = ['receptionist', 'observer', 'killswitch', 'eventbus', 'agentchannel', 'qualitygate'];
const NEW_NAMES = ['localstore', 'insightcollector'];

let bench: Workbench;
const feature = featuresOf(CLIENT_AREA);
const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
const token = signedToken(keys.privateKey, {
  header: { alg: 'RS512' },
  claims: { iss: 'here', sub: 'me' },
});

beforeAll(async () => {
  bench = await Workbench.open();
});
afterAll(() => bench.close());

interface Imported {
  readonly port: number;
  readonly services: readonly object[];
  readonly auth: { readonly trustedKeys: readonly object[] };
}

/** The configuration of a service that trusts the key. */
const SERVICE = {
  kind: 'ServiceConfig',
  'current-context': 'here',
  contexts: [{ name: 'here', context: { trusted_authorities: ['key.pub'] } }],
};

feature('writes a configuration that tutti import-config carries over', async (run) => {
  const folder = bench.path(run.id);
  await mkdir(join(folder, 'old'), { recursive: true });
  const write = (name: string, text: string) => writeFile(join(folder, 'old', name), text);
  await write('key.pub', keys.publicKey.export({ type: 'spki', format: 'pem' }).toString());
  await write('observer.yaml', stringify(SERVICE));
  await write('keys.csv', 'key.pub,me,,*\n');
  const ctl = await openCtl(bench, { url: 'http://127.0.0.1:9', token: 'none' }, run);
  const names = OLD.includes(run.subject) ? NAMES : [...NAMES, ...NEW_NAMES];
  const ports = await Promise.all(names.map(() => freePort()));
  const { stdout: made } = await ctl.run(
    ...['config', 'generate', '--name=here', '--orchestrator-server=http://127.0.0.1'],
    ...names.map((name, index) => `--orchestrator-${name}-port=${ports[index]}`),
    ...['--insecure-skip-tls-verify=false', `--token=${token}`],
  );
  await ctl.write('.opentf/config', made);
  await write('config', made);
  const words = ['old', '--trustedkeys-auth-file', 'old/keys.csv', '--save-to', 'new'];
  const imported = await runCli(['import-config', ...words], { cwd: folder });
  expect(imported.stdout).not.toContain('Not carried over:');
  expect(imported).toMatchObject({ code: 0, stderr: '' });

  const config: Imported = parse(await readFile(join(folder, 'new/server.yaml'), 'utf8'));
  // Services that the client does not know get ports of their own here. Otherwise all servers of this file would share them.
  const others = NEW_NAMES.filter((name) => !names.includes(name));
  const more = await Promise.all(others.map(async (name) => ({ name, port: await freePort() })));
  const services = [...config.services, ...more];
  expect(config.auth.trustedKeys).toMatchObject([{ namespaces: '*' }]);
  await bench.server({ config: { ...config, services }, port: config.port });
  await ctl.write('waiting.yaml', oneJob('moved', [sh('true')], { 'runs-on': 'nowhere' }));
  const id = idOf(await ctl.run('run', 'workflow', 'waiting.yaml'));
  expect((await ctl.run('get', 'subscriptions')).code).toBe(0);
  const shell = 'set -a; . ./new/clients/here.env; set +a; exec "$0" "$1" status';
  const { stdout } = await promisify(execFile)('sh', ['-c', shell, process.execPath, TUTTI], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '' },
  });
  expect(stdout).toContain(id);
});
