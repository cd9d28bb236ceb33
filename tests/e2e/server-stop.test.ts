/** `tutti server` ends soon, with code 0, whatever its clients do and however it was started. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { Workbench } from '../support/workbench.ts';
import { type CliProcess, startCli } from './cli-process.ts';

const TUTTI = join(import.meta.dirname, '../../cli/bin/tutti.js');
const READY = /ready on http:\/\/127\.0\.0\.1:(\d+)/;

let bench: Workbench;

beforeAll(async () => {
  bench = await Workbench.open();
});

afterAll(() => bench.close());

async function startServer(): Promise<{ readonly cli: CliProcess; readonly port: number }> {
  const dataDir = bench.path('data');
  const cli = startCli(['server', '--port', '0', '--data-dir', dataDir], { cwd: bench.folder });
  onTestFinished(() => cli.kill('SIGKILL'));
  const [, port] = await cli.said(READY);
  return { cli, port: Number(port) };
}

/** A client that sends this and then nothing any more. */
async function stalled(port: number, text: string): Promise<void> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  await new Promise<void>((resolve) => socket.write(text, () => resolve()));
  // The server has it once it has answered somebody who came later.
  expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(401);
}

test('a server ends with 0 though clients have sent half of a request', async () => {
  const { cli, port } = await startServer();
  const head = 'Host: x\r\nContent-Type: application/json\r\nContent-Length: 500\r\n';
  await stalled(port, 'GET /hea');
  await stalled(port, `POST /workflows HTTP/1.1\r\n${head}`);
  await stalled(port, `POST /publications HTTP/1.1\r\n${head}\r\n{`);
  cli.kill('SIGTERM');
  expect(await cli.ended).toBe(0);
});

/** Makes a process take the Node that it is for one that cannot run the sources. */
const AN_OLDER_NODE = `data:text/javascript,${encodeURIComponent(
  "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.0.0' } })",
)}`;

test.each(['SIGKILL', 'SIGTERM'] as const)(
  'a server that an older Node started again ends with it: %s',
  async (signal) => {
    const args = ['server', '--port', '0', '--data-dir', bench.path('data')];
    const launcher = spawn(process.execPath, ['--import', AN_OLDER_NODE, TUTTI, ...args], {
      cwd: bench.folder,
      // Started by no npx, after which commands look themselves.
      env: { ...process.env, npm_command: '' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void launcher.kill('SIGTERM'));
    let said = '';
    launcher.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    const port = Number(await eventually('the server', async () => READY.exec(said)?.[1] ?? null));
    launcher.kill(signal);
    // Not before the last process that has its output is gone.
    const [code] = await once(launcher, 'close');
    expect(code).toBe(signal === 'SIGTERM' ? 0 : null);
    await expect(fetch(`http://127.0.0.1:${port}/health`)).rejects.toThrow();
    // Nothing holds the data directory any more.
    const { cli } = await startServer();
    cli.kill('SIGTERM');
    expect(await cli.ended).toBe(0);
  },
);

test('a server that npx started through a shell ends with that shell', async () => {
  const args = `server --port 0 --data-dir '${bench.path('data')}'`;
  // The shell has more to do after it, so it cannot become the server itself.
  const shell = spawn('sh', ['-c', `'${process.execPath}' '${TUTTI}' ${args}; true`], {
    cwd: bench.folder,
    env: { ...process.env, npm_command: 'exec' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  shell.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const port = Number(await eventually('the server', async () => READY.exec(said)?.[1] ?? null));
  shell.kill('SIGTERM');
  // Not before the last process that has the shell's output is gone.
  await once(shell, 'close');
  await expect(fetch(`http://127.0.0.1:${port}/health`)).rejects.toThrow();
});
