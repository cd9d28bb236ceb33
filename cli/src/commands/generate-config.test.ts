import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { runCommand } from '../testing/run-command.ts';

type Surroundings = NonNullable<Parameters<typeof runCommand>[1]>;

const generate = (args: string, surroundings: Surroundings = {}) =>
  runCommand(['config', 'generate', ...args.split(' ').filter(Boolean)], surroundings);

/** Generates a configuration with these answers. */
async function generated(args: string, answers: readonly string[], secret = '') {
  const { code, stdout, stderr } = await generate(args, { answers, secret });
  expect(code).toBe(0);
  return { config: parse(stdout), stderr };
}

const ONE = {
  apiVersion: 'opentestfactory.org/v1alpha1',
  kind: 'CtlConfig',
  'current-context': 'lab',
  contexts: [{ name: 'lab', context: { orchestrator: 'lab', user: 'lab' } }],
};

test('options suffice without a terminal', async () => {
  const args = '--name lab --server http://lab.example:8000 --namespace team-a';
  const { code, stdout, stderr } = await generate(`${args} --token T --qualitygate-port 12313`);
  expect([code, stderr]).toEqual([0, '']);
  const services = { qualitygate: { port: 12313 } };
  expect(parse(stdout)).toEqual({
    ...ONE,
    contexts: [{ name: 'lab', context: { orchestrator: 'lab', user: 'lab', namespace: 'team-a' } }],
    orchestrators: [{ name: 'lab', orchestrator: { server: 'http://lab.example:8000', services } }],
    users: [{ name: 'lab', user: { token: 'T' } }],
  });
});

test('missing values are named without a terminal', async () => {
  expect(await generate('--insecure-skip-tls-verify')).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'tutti: There is no terminal to ask on, and options are missing: --name, --server, --token (or --token-file, or --no-token).\n' +
      'What to do: add them, or call it on a terminal, which asks for them.\n',
  });
  const { stderr } = await generate('--server http://lab --no-token');
  expect(stderr).toContain('options are missing: --name.\n');
});

test('missing values are asked for on a terminal, and wrong answers again', async () => {
  const answers = ['', 'lab.example', 'https://lab.example', 'n', 'maybe', 'false'];
  const { config, stderr } = await generated('', answers, ' T0KEN ');
  expect(config).toEqual({
    ...ONE,
    'current-context': 'default',
    contexts: [{ name: 'default', context: { orchestrator: 'default', user: 'default' } }],
    orchestrators: [
      {
        name: 'default',
        orchestrator: { server: 'https://lab.example', 'insecure-skip-tls-verify': false },
      },
    ],
    users: [{ name: 'default', user: { token: 'T0KEN' } }],
  });
  expect(stderr).toBe(
    'Name of the context, its orchestrator and its user [default]: ' +
      'Address of the server: ' +
      'Not the address of a server: lab.example; it begins with http:// or https://.\n' +
      'Address of the server: ' +
      'Do services have ports of their own? [y/N] ' +
      'Trust its certificate without a check? [y/N] ' +
      'Answer yes or no, not "maybe".\n' +
      'Trust its certificate without a check? [y/N] ',
  );
});

test('services have the ports that are answered, the quality gate among them', async () => {
  const ports = ['', '0', '17775', '', '', '', '12313', '', '70000', '7797'];
  const { config, stderr } = await generated('--name lab --server http://lab', ['yes', ...ports]);
  expect(config.orchestrators[0].orchestrator.services).toEqual({
    receptionist: { port: 7774 },
    observer: { port: 17775 },
    killswitch: { port: 7776 },
    eventbus: { port: 38368 },
    agentchannel: { port: 24368 },
    qualitygate: { port: 12313 },
    localstore: { port: 34537 },
    insightcollector: { port: 7797 },
  });
  expect(stderr).toContain('Port of the qualitygate [12312]: ');
  expect(stderr).toContain('A port is a number from 1 to 65535, not "70000".\n');
  expect(config.users).toEqual([{ name: 'lab', user: {} }]);
});

test.each([
  ['true', true],
  ['false', false],
])('skipping the check of certificates is %s as an option sets it', async (given, stored) => {
  const args = `--name lab --server https://lab --insecure-skip-tls-verify ${given}`;
  const { config } = await generated(args, ['n']);
  expect(config.orchestrators[0].orchestrator['insecure-skip-tls-verify']).toBe(stored);
});

test('given values are not asked for: authorities, files of tokens', async () => {
  const files = '--certificate-authority package.json --token-file package.json';
  const { config, stderr } = await generated(`--name lab --server https://lab ${files}`, ['']);
  expect(stderr).toBe('Do services have ports of their own? [y/N] ');
  const file = resolve('package.json');
  expect(config.orchestrators[0].orchestrator['certificate-authority']).toBe(file);
  expect(config.users[0].user).toEqual({ 'token-file': file });
});

test('a token comes on standard input', async () => {
  const args = '--name lab --server http://lab --token -';
  const { stdout } = await generate(args, { input: 'T0KEN\n' });
  expect(parse(stdout).users[0].user).toEqual({ token: 'T0KEN' });
});

test.each([
  ['--server lab', 'Not the address of a server: lab; it begins with http:// or https://.'],
  [
    '--server http://lab --observer-port 0',
    '--observer-port is a number from 1 to 65535, not "0".',
  ],
  [
    '--server http://lab --insecure-skip-tls-verify perhaps',
    '--insecure-skip-tls-verify takes true or false, not "perhaps".',
  ],
  [
    '--server http://lab --certificate-authority none.pem',
    `There is no file ${resolve('none.pem')}.`,
  ],
  [
    '--server http://lab --token-file package.json --token T',
    '--token and --token-file both name a token.',
  ],
])('with %s nothing is generated', async (args, what) => {
  const named = args.includes('--token') ? args : `${args} --no-token`;
  const { code, stdout, stderr } = await generate(`--name lab ${named}`);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(`tutti: ${what}\n`);
});

test('a question without an answer ends it, with nothing on standard output', async () => {
  const { code, stdout, stderr } = await generate('--name lab', { answers: [], secret: '' });
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain('tutti: A question was not answered, and nothing is generated.\n');
});
