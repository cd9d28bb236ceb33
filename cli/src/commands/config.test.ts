import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { runCommand } from '../testing/run-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'tutti-config-'));
let home = '';
let count = 0;
beforeEach(() => {
  count += 1;
  home = join(folder, `home-${count}`);
  mkdirSync(home);
});
afterAll(() => rmSync(folder, { recursive: true }));

const own = () => join(home, '.config/tutti/config.yaml');
const foreign = () => join(home, '.opentf/config');
const read = () => readFileSync(own(), 'utf8');
const config = (args: string, input = '') =>
  runCommand(['config', ...args.split(' ')], { env: { HOME: home }, input });

async function done(args: string, input = ''): Promise<string> {
  const { code, stdout, stderr } = await config(args, input);
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

const FOREIGN = `# mine
kind: CtlConfig
current-context: old # the one
contexts:
  - name: old
    context: {orchestrator: o, user: u}
orchestrators:
  # of the laboratory
  - name: o
    orchestrator:
      server: http://old.example
      polling-delay: 3 # slow
      ports: {observer: 7775, killswitch: 7776}
users:
  - name: u
    user: {token: SECRET}
`;

function writeForeign(): void {
  mkdirSync(join(home, '.opentf'));
  writeFileSync(foreign(), FOREIGN);
}

function writeOwn(text = FOREIGN): void {
  mkdirSync(join(home, '.config/tutti'), { recursive: true });
  writeFileSync(own(), text);
}

test('a configuration is made from nothing, command by command', async () => {
  expect(await done('set-orchestrator lab --server http://lab.example')).toBe(
    'Orchestrator "lab" made.\n',
  );
  expect(await done('set-credentials me --token -', 'T0KEN\n')).toBe('User "me" made.\n');
  expect(await done('set-context lab --orchestrator lab --user me --namespace team-a')).toBe(
    'Context "lab" made. It is the current one.\n',
  );
  expect(read()).toBe(`apiVersion: opentestfactory.org/v1alpha1
kind: CtlConfig
current-context: lab
contexts:
  - name: lab
    context:
      orchestrator: lab
      user: me
      namespace: team-a
orchestrators:
  - name: lab
    orchestrator:
      server: http://lab.example
users:
  - name: me
    user:
      token: T0KEN
`);
  expect(statSync(own()).mode & 0o777).toBe(0o600);
});

test('contexts are listed, with a star at the current one', async () => {
  writeOwn();
  await done('set-context new --orchestrator o --namespace team-b');
  expect(await done('contexts')).toBe(
    'CURRENT  NAME  SERVER              USER    NAMESPACE\n' +
      '*        old   http://old.example  u       <none>\n' +
      '         new   http://old.example  <none>  team-b\n',
  );
  expect(await done('contexts -o name')).toBe('old\nnew\n');
  expect(await done('use-context new')).toBe('Commands are called in context "new" from now on.\n');
  expect(JSON.parse(await done('contexts -o json'))[1]).toMatchObject({
    name: 'new',
    current: true,
  });
});

test('a change keeps comments, order and unknown keys', async () => {
  writeOwn();
  await done('set-context --current --namespace team-a');
  expect(read()).toBe(
    FOREIGN.replace('{orchestrator: o, user: u}', '{ orchestrator: o, user: u, namespace: team-a }')
      .replace('{observer: 7775, killswitch: 7776}', '{ observer: 7775, killswitch: 7776 }')
      .replace('{token: SECRET}', '{ token: SECRET }'),
  );
});

test('a new orchestrator may have ports and prefixes of services', async () => {
  await done('set-orchestrator new --server http://new --observer-port 7775 --eventbus-prefix bus');
  expect(read()).toContain(
    'services:\n        observer:\n          port: 7775\n        eventbus:\n          prefix: bus\n',
  );
});

test('ports of old files move to the services when one of those is set', async () => {
  writeOwn();
  await done('set-orchestrator o --observer-port 17775 --observer-prefix o');
  expect(read()).toContain(
    'services:\n        observer:\n          port: 17775\n          prefix: o\n        killswitch:\n          port: 7776\n',
  );
  expect(read()).not.toContain('ports:');
});

test('a token in place of a file of one takes its place, and the other way round', async () => {
  writeOwn();
  writeFileSync(join(home, 'a.token'), 'A');
  await done(`set-credentials u --token-file ${join(home, 'a.token')}`);
  expect(read()).not.toContain('SECRET');
  await done('set-credentials u --token B');
  expect(read()).toContain('{ token: B }');
});

test('display defaults are numbers and yes or no', async () => {
  await done('set-credentials u --token T --step-depth 2 --colors false --verbose');
  expect(read()).toContain('step-depth: 2\n      colors: false\n      verbose: true\n');
  await done('set-credentials u --colors out=32:err=31');
  expect(read()).toContain('colors: out=32:err=31\n');
  const prefix = ['--job-depth', '0', '--output-prefix', '{time} [{job}] '];
  const args = ['config', 'set-credentials', 'u', ...prefix];
  expect((await runCommand(args, { env: { HOME: home } })).code).toBe(0);
  expect(read()).toContain('job-depth: 0\n      output-prefix: "{time} [{job}] "\n');
  expect(await done('view')).toContain('output-prefix: "{time} [{job}] "');
});

test.each(['yaml', 'json'])('tokens are hidden in %s', async (form) => {
  writeOwn();
  const shown = await done(`view -o ${form}`);
  expect(shown).toContain('REDACTED');
  expect(shown).not.toContain('SECRET');
  expect(shown).toContain('http://old.example');
});

test('the file of another client is read, and never written', async () => {
  writeForeign();
  expect(await done('contexts -o name')).toBe('old\n');
  const { code, stderr } = await config('use-context old');
  expect([code, stderr]).toEqual([
    2,
    `tutti: The configuration is that of another client (${foreign()}), which is never written.\n` +
      'What to do: copy it with "tutti config import", then change the copy; that client keeps its own file.\n',
  ]);
  expect(await config('path')).toEqual({
    code: 0,
    stdout: `${foreign()}\n`,
    stderr: 'tutti: It belongs to another client, and is only read.\n',
  });
  expect(await done('import')).toBe(`Copied ${foreign()} to ${own()}.\n`);
  expect(read()).toBe(FOREIGN);
  expect(await done('path')).toBe(`${own()}\n`);
  await done('delete-context old');
  expect(readFileSync(foreign(), 'utf8')).toBe(FOREIGN);
});

test('a configuration is only replaced where that is asked for', async () => {
  writeForeign();
  writeOwn('{}\n');
  const { code, stderr } = await config('import');
  expect([code, stderr]).toEqual([
    2,
    `tutti: There is a configuration ${own()} already.\n` +
      'What to do: replace it with --force, or name another file with --client-config.\n',
  ]);
  await done('import --force');
  expect(read()).toBe(FOREIGN);
});

test('parts are removed, and parts that name them are listed', async () => {
  writeOwn();
  expect(await done('delete-orchestrator o')).toBe(
    'Orchestrator "o" removed. It is still named by: "old".\n',
  );
  expect(await done('delete-credentials u')).toBe(
    'User "u" removed. It is still named by: "old".\n',
  );
  expect(await done('delete-context old')).toBe(
    'Context "old" removed. No context is the current one now.\n',
  );
  expect(read()).toContain('current-context: null');
});

test('a link stays a link', async () => {
  const target = join(home, 'dotfiles.yaml');
  writeOwn();
  writeFileSync(target, FOREIGN);
  rmSync(own());
  symlinkSync(target, own());
  await done('set-context --current --namespace n');
  expect(lstatSync(own()).isSymbolicLink()).toBe(true);
  expect(readFileSync(target, 'utf8')).toContain('namespace: n');
});

test.each([
  ['use-context odl', 'There is no context "odl" in OWN, did you mean "old"?', 'there are: old.'],
  ['set-context old --user none', 'There is no user "none" in OWN.', 'there are: u.'],
  ['delete-credentials me', 'There is no user "me" in OWN.', 'there are: u.'],
  ['set-context', 'Which context is meant?', 'give its name, or --current, and not both.'],
  [
    'set-context new',
    'A new context needs an orchestrator.',
    'name one: "tutti config set-context new --orchestrator NAME".',
  ],
  [
    'set-orchestrator new',
    'A new orchestrator needs an address.',
    'name it: "tutti config set-orchestrator new --server URL".',
  ],
  [
    'set-orchestrator o --server old.example',
    'Not the address of a server: old.example; it begins with http:// or https://.',
    'write it as in http://127.0.0.1:7774.',
  ],
  [
    'set-orchestrator o --certificate-authority /none.pem',
    'There is no file /none.pem.',
    'name a file that is there.',
  ],
  [
    'set-credentials u --colors none',
    '--colors takes true, false, or colours as in out=32:err=1;31, not "none".',
    'write names (ttl, run, out, err, att) with the numbers of their colours, and colons between.',
  ],
  [
    'set-credentials u --token -',
    'There is no token on standard input.',
    'send one, and nothing else.',
  ],
])('"config %s" is refused, and nothing is changed', async (args, what, next) => {
  writeOwn();
  const { code, stderr } = await config(args);
  expect(stderr).toBe(`tutti: ${what.replace('OWN', own())}\nWhat to do: ${next}\n`);
  expect([code, read()]).toEqual([2, FOREIGN]);
});

test('a configuration without contexts is still valid', async () => {
  await done('set-orchestrator o --server http://o.example');
  expect(await config('contexts')).toEqual({
    code: 0,
    stdout: '',
    stderr: `There are no contexts in ${own()}. "tutti config --help" says how to make one.\n`,
  });
});

test('without a configuration, that is said', async () => {
  for (const args of ['view', 'contexts']) {
    expect(await config(args)).toEqual({
      code: 0,
      stdout: '',
      stderr: 'There is no configuration. "tutti config --help" says how to make one.\n',
    });
  }
  expect(existsSync(own())).toBe(false);
});

test('config alone shows its help', async () => {
  const { code, stdout, stderr } = await runCommand(['config'], { env: { HOME: home } });
  expect(stdout + stderr).toContain('use-context');
  expect(code).toBe(2);
});
