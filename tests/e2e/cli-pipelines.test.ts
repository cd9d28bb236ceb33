/** `tutti ready` and `tutti done`, as pipelines use them. */
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { runCommand } from '../../cli/src/testing/run-command.ts';
import { freePort } from '../support/free-port.ts';
import { createGate } from '../support/gate.ts';
import { ended, oneJob, start } from '../support/runs.ts';
import { sharedServer } from '../support/shared-server.ts';
import { type CliProcess, startCli } from './cli-process.ts';

const { bench, server } = await sharedServer({ tags: ['linux', 'jdk'], name: 'one' });
const at = ['--server', server.url, '--token', server.token];
const tutti = (...args: string[]) => runCommand([...args, ...at]);

const children: CliProcess[] = [];
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await Promise.all(children.map(({ ended: over }) => over));
});

/** A command that goes on while the test does something. */
function begin(args: readonly string[], env = {}): CliProcess {
  const child = startCli(args, { cwd: bench.folder, env });
  children.push(child);
  return child;
}

const READY = { code: 0, stdout: `The server ${server.url} is ready.\n`, stderr: '' };

test.each([
  ['a server that is well', []],
  ['its services, however they are written', ['--services', 'Arranger,observer,agentchannel']],
  ['services that are in no list', ['--services', 'receptionist,killswitch,qualitygate']],
  ['an idle environment', ['--agents', '1']],
  ['an idle environment with tags', ['--tags', 'linux,jdk']],
  ['the environment for rehearsals', ['--tags', 'inception']],
])('ready with %s', async (_, args) => {
  expect(await tutti('ready', ...args)).toEqual(READY);
});

test.each([
  [['--services', 'arranger,tm.generator.premium'], 'A service is missing: tm.generator.'],
  [['--services', 'a,result.aggregator.x'], 'Services are missing: a, result.aggregator.'],
  [['--agents', '2'], 'Idle environments: 1 of 2.'],
  [['--tags', 'linux,cobol'], 'Idle environments with tags linux, cobol: 0 of 1.'],
])('not ready with %j, which is said', async (args, why) => {
  expect(await tutti('ready', ...args, '--timeout', '0')).toEqual({
    code: 1,
    stdout: '',
    stderr: `tutti: Not ready after 0 s. ${why}\n`,
  });
});

/** Less than what one look may take where there is time: only what outlasts its limit takes this long. */
const ENDS_WITHIN = { timeout: 9_000 };

/** Takes connections and answers nothing but the first requests of them. */
async function silentServer(answers: readonly object[] = []): Promise<string> {
  const left = [...answers];
  const silent = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', () => {
      const answer = left.shift();
      if (answer === undefined) return;
      const body = JSON.stringify(answer);
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    });
    onTestFinished(() => void socket.destroy());
  });
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void silent.close());
  return `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
}

test.each([
  ['ready', 'Not ready'],
  ['done', 'Not done'],
])(
  '%s ends in time where a server takes the request and never answers',
  ENDS_WITHIN,
  async (name, what) => {
    const args = ['--server', await silentServer(), '--token', 'T', '--timeout', '1'];
    expect(await runCommand([name, ...args])).toEqual({
      code: 1,
      stdout: '',
      stderr: `tutti: ${what} after 1 s. The server does not answer.\n`,
    });
  },
);

test(
  'ready ends in time where the services are asked for and nobody answers',
  ENDS_WITHIN,
  async () => {
    const url = await silentServer([{ status: 'ok' }, { kind: 'Version' }]);
    const args = ['--server', url, '--token', 'T', '--services', 'arranger', '--timeout', '1'];
    const { code, stderr } = await runCommand(['ready', ...args]);
    expect([code, stderr]).toEqual([
      1,
      'tutti: Not ready after 1 s. The server does not answer.\n',
    ]);
  },
);

describe('ready --container', () => {
  /** No Docker is where tests run: a program of its name says what files of the test have. */
  const folder = bench.path('docker');
  const DOCKER = `#!/bin/sh
case "$1" in
inspect)
  [ "$2 $3 $4 $5" = '--type container --format {{.State.Status}}' ] || exit 9
  [ "$6" = stuck ] && (while [ -e '${folder}' ]; do sleep 0.1; done)
  cat '${folder}/'"$6" 2>/dev/null || { echo "Error: No such container: $6" >&2; exit 1; } ;;
exec)
  [ "$3 $4" = 'cat /app/init_services.json' ] || exit 9
  cat '${folder}/services.json' ;;
esac
`;
  const env = { PATH: `${folder}:${process.env.PATH}` };
  const checksum = (names: readonly string[]) =>
    createHash('sha256')
      .update(Buffer.from(names.join('')).toString('base64'))
      .digest('hex');
  const report = (services: readonly string[], sum = checksum(services)) =>
    writeFile(join(folder, 'services.json'), JSON.stringify({ services, checksum: sum }));
  const state = (name: string, text: string) => writeFile(join(folder, name), `${text}\n`);

  beforeAll(async () => {
    await mkdir(folder);
    await writeFile(join(folder, 'docker'), DOCKER, { mode: 0o755 });
  });

  test('waits for the container, and then for the services that it names', async () => {
    const ready = begin(['ready', '--container', 'box', ...at], env);
    await ready.said(/^Waiting\. There is no container box yet\.$/m);
    await state('box', 'created');
    await ready.said(/^Waiting\. The container box is created\.$/m);
    await state('box', 'running');
    await ready.said(
      /^Waiting\. \S+ of the container box, which names \S+ \S+, is not there yet\.$/m,
    );
    await report(['arranger'], checksum(['observer']));
    await ready.said(/is not whole yet\.$/m);
    await report(['arranger', 'nobody']);
    await ready.said(/^Waiting\. A service is missing: nobody\.$/m);
    ready.kill('SIGKILL');
    await report(['arranger', 'Observer']);
    expect(await runCommand(['ready', '--container', 'box', ...at], { env })).toEqual(READY);
  });

  test.each([
    [
      'gone',
      'exited',
      'The container gone does not run any more: it is exited.\nWhat to do: see why with "docker logs gone", and start it again.\n',
    ],
    [
      '--all',
      '',
      'Not the name or the id of a container: "--all".\nWhat to do: see which there are with "docker ps".\n',
    ],
  ])('%s that is %s is no reason to wait', async (name, status, problem) => {
    await state(name, status);
    const { code, stderr } = await runCommand(['ready', `--container=${name}`, ...at], { env });
    expect([code, stderr]).toEqual([2, `tutti: ${problem}`]);
  });

  test('ends in time where Docker never answers', ENDS_WITHIN, async () => {
    const ready = begin(['ready', '--container', 'stuck', '--timeout', '1', ...at], env);
    expect(await ready.ended).toBe(1);
    expect(ready.stderr()).toBe('tutti: Not ready after 1 s. Docker does not answer.\n');
  });

  test('without Docker, or beside --services, is refused', async () => {
    const missing = await runCommand(['ready', '--container', 'box', ...at], {
      env: { PATH: bench.path('nothing') },
    });
    expect([missing.code, missing.stderr]).toEqual([
      2,
      'tutti: There is no program "docker", which --container asks about the container.\n' +
        'What to do: install the command line of Docker, or name the services with --services.\n',
    ]);
    const broken = bench.path('broken');
    await mkdir(broken);
    const script = '#!/bin/sh\necho "Cannot connect to the Docker daemon." >&2\nexit 1\n';
    await writeFile(join(broken, 'docker'), script, { mode: 0o755 });
    const refused = await runCommand(['ready', '--container', 'box', ...at], {
      env: { PATH: `${broken}:${process.env.PATH}` },
    });
    expect([refused.code, refused.stderr]).toEqual([
      2,
      'tutti: Docker cannot inspect the container: Cannot connect to the Docker daemon.\n' +
        'What to do: see whether "docker ps" works for this account, or name the services with --services.\n',
    ]);
    const both = await tutti('ready', '--container', 'box', '--services', 'arranger');
    expect([both.code, both.stderr]).toEqual([
      2,
      'tutti: --services names services, and so does the container of --container.\nWhat to do: leave one of them out.\n',
    ]);
  });
});

test('a server that is not there yet is waited for, as is its token', async () => {
  const port = await freePort();
  const dataDir = bench.path('late');
  const ready = begin(['ready', '--data-dir', dataDir, '--timeout', '2m'], {
    TUTTI_SERVER: `http://127.0.0.1:${port}`,
  });
  await ready.said(/^Waiting\. The server \S+ cannot be reached\. Nothing listens there\.$/m);
  await bench.server({ port, dataDir });
  expect(await ready.ended).toBe(0);
  expect(ready.stdout()).toBe(`The server http://127.0.0.1:${port} is ready.\n`);
});

test('a token that is refused is no reason to wait', async () => {
  for (const command of ['ready', 'done']) {
    const { code, stderr } = await runCommand([
      command,
      '--server',
      server.url,
      '--token',
      'nonsense',
    ]);
    expect(code).toBe(2);
    expect(stderr).toContain('What to do: pass a token that the server trusts');
  }
});

test('done while nothing runs', async () => {
  expect(await tutti('done')).toEqual({
    code: 0,
    stdout: 'No workflow runs, and no worker is active.\n',
    stderr: '',
  });
});

test('done waits for the end of a run', async () => {
  const gate = createGate(bench);
  const id = await start(server, oneJob('held', [gate.step]));
  expect(await tutti('done', '--timeout', '0')).toEqual({
    code: 1,
    stdout: '',
    stderr: 'tutti: Not done after 0 s. A workflow runs.\n',
  });
  const done = begin(['done', ...at]);
  await done.said(/^Waiting\. A workflow runs\.$/m);
  await gate.open();
  expect(await done.ended).toBe(0);
  expect(await ended(server, id)).toBe('DONE');
});

test('done does not wait for a server that never answered', async () => {
  const { code, stderr } = await runCommand(['done', '--server', 'http://127.0.0.1:1']);
  expect(code).toBe(2);
  expect(stderr).toContain('cannot be reached');
});
