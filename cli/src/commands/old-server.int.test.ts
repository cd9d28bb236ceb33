/** `tutti run --jobs` and `--from-failed` at a server that does not know how to run a part of a workflow. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type Status, status } from '@tutti/manifests';
import { expect, onTestFinished, test } from 'vitest';
import { runCommand } from '../testing/run-command.ts';

const ID = '0198c0de-0000-4000-8000-000000000001';
const NEXT =
  'use a newer server, or run the workflow as a whole: this server cannot run a part of it. "tutti version" shows the version of the server.\n';
const started = status('Created', '', { workflow_id: ID });
const input = 'metadata: {name: x}\njobs: {a: {steps: [{run: x}]}}\n';

/** Names the parameters that it knows, as servers do. */
async function oldServer(
  known: readonly string[],
  answer: (request: IncomingMessage) => Status = () => started,
) {
  const seen: string[] = [];
  const server = createServer(async (request, response) => {
    await text(request);
    const { searchParams, pathname } = new URL(request.url ?? '', 'http://old');
    seen.push(`${request.method} ${pathname}`);
    const processed = [...searchParams.keys()].filter((name) => known.includes(name));
    if (processed.length > 0) response.setHeader('X-Processed-Query', processed.join(','));
    const { code, ...rest } = answer(request);
    response.writeHead(code).end(JSON.stringify({ code, ...rest }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const at = ['--server', `http://127.0.0.1:${port}`, '--token', 'T'];
  const tutti = (...args: string[]) => runCommand([...args, ...at], { input });
  return { seen, tutti };
}

test.each([
  [['run', '-', '--jobs', 'a', '--wait'], 'jobs'],
  [['run', '-', '--jobs', 'a', '--namespace', 'team', '-o', 'json'], 'jobs'],
  [['run', '--from-failed', ID], 'failed'],
  [['workflows', 'rerun', ID, '--jobs', 'a'], 'jobs'],
])('%j: a run of the whole workflow is canceled and reported', async (args, parameter) => {
  const { seen, tutti } = await oldServer(['namespace', 'dryRun']);
  expect(await tutti(...args)).toEqual({
    code: 2,
    stdout: '',
    stderr:
      `tutti: The server does not know "${parameter}", and began to run the whole workflow, as ${ID}. It is being canceled.\n` +
      `What to do: ${NEXT}`,
  });
  expect(seen.at(-1)).toBe(`DELETE /workflows/${ID}`);
});

test('a run that it does not cancel either is reported with the command that ends it', async () => {
  const refused = status('Forbidden', 'No "delete" here.');
  const { tutti } = await oldServer([], ({ method }) => (method === 'POST' ? started : refused));
  expect(await tutti('run', '-', '--jobs', 'a')).toEqual({
    code: 2,
    stdout: '',
    stderr:
      `tutti: The server does not know "jobs", and began to run the whole workflow, as ${ID}. It cannot be canceled: No "delete" here.\n` +
      `What to do: end it with "tutti cancel ${ID}". Use${NEXT.slice(3)}`,
  });
});

test('a run with warnings that it does not refuse is canceled', async () => {
  const { seen, tutti } = await oldServer(['dryRun']);
  expect(await tutti('run', '-', '--strict')).toEqual({
    code: 2,
    stdout: '',
    stderr:
      `tutti: The server does not know "strict", and began to run the workflow with its warnings, as ${ID}. It is being canceled.\n` +
      'What to do: use a newer server, or check the workflow with "tutti validate --strict" before. "tutti version" shows the version of the server.\n',
  });
  expect(seen.at(-1)).toBe(`DELETE /workflows/${ID}`);
});

test('a dry run of the whole workflow cancels nothing', async () => {
  const { seen, tutti } = await oldServer(['dryRun']);
  expect(await tutti('run', '-', '--jobs', 'a', '--dry-run')).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'tutti: The server does not know "jobs", and would run the whole workflow. Nothing was started.\n' +
      `What to do: ${NEXT}`,
  });
  expect(seen).toEqual(['POST /workflows']);
});

test('a server that names the parameter is believed, and one that is asked for all jobs need not name any', async () => {
  const actual = { code: 0, stdout: `Workflow ${ID} started.\n`, stderr: '' };
  const knowing = await oldServer(['jobs', 'failed']);
  expect(await knowing.tutti('run', '-', '--jobs', 'a')).toEqual(actual);
  expect(await knowing.tutti('run', '--from-failed', ID)).toEqual(actual);
  const old = await oldServer([]);
  expect(await old.tutti('run', '-', '--namespace', 'team')).toEqual(actual);
});

test('a server without reruns is distinct from one without that run', async () => {
  const { tutti } = await oldServer([], () =>
    status('NotFound', 'The requested URL was not found.'),
  );
  expect(await tutti('run', '--from-failed', ID)).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'tutti: The server cannot run a workflow again: The requested URL was not found.\n' +
      'What to do: use a newer server, or start the workflow anew from its file. "tutti version" shows the version of the server.\n',
  });
  const message = `Workflow ${ID} not found.`;
  const without = await oldServer([], () => status('NotFound', message));
  const { stderr } = await without.tutti('run', '--from-failed', ID);
  expect(stderr).toBe(
    `tutti: ${message}\nWhat to do: see which workflows there are with "tutti workflows".\n`,
  );
});
