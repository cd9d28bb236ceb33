/** `tutti run` on a server that is busy for a moment. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type Status, status } from '@tutti/manifests';
import { expect, onTestFinished, test } from 'vitest';
import { runCommand } from '../testing/run-command.ts';

/** Gives these answers, one after the other, each with `Retry-After: 0`. */
async function serverWith(answers: readonly Status[]) {
  const left = [...answers];
  const server = createServer(async (request, response) => {
    await text(request);
    const answer = left.shift() ?? status('InternalError', 'There are no more answers.');
    response.writeHead(answer.code, { 'Retry-After': '0' }).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, left };
}

test.each(['ServiceUnavailable', 'TooManyRequests'] as const)(
  'a run that is refused with %s is started when there is room, and what happens is said',
  async (reason) => {
    const busy = status(reason, 'There is enough to do. Try again later.');
    const started = status('Created', '', { workflow_id: 'id-1' });
    const { url, left } = await serverWith([busy, started]);
    const input = 'metadata: {name: x}\njobs: {a: {steps: [{run: x}]}}\n';
    const args = ['run', '-', '--server', url, '--token', 'T'];
    const { code, stdout, stderr } = await runCommand(args, { input });
    expect([code, stdout]).toEqual([0, 'Workflow id-1 started.\n']);
    expect(stderr).toMatch(
      /^tutti: There is enough to do\. Try again later\.\n {2}Nothing was started\. Trying again in [12] s\.\n$/,
    );
    expect(left).toEqual([]);
  },
);
