/**
 * The lower limit of a relay from output to a reader. Posts go to a file, each portion synced before the next, and then to the
 * follower. The file is the first argument.
 */
import { open } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ServerNews } from './server-process.ts';

const PORTION = 256 * 1024;
const file = await open(process.argv[2] ?? '', 'w');
let follower: ServerResponse | null = null;

const server = createServer(async (request, response) => {
  if (request.method === 'GET') {
    follower = response;
    response.flushHeaders();
    return;
  }
  let portion: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    portion.push(chunk);
    length += chunk.length;
    // It does not wait for slow data.
    if (length < PORTION && request.readableLength > 0) continue;
    await pass(Buffer.concat(portion));
    portion = [];
    length = 0;
  }
  await pass(Buffer.concat(portion));
  follower?.end();
  response.end();
});

async function pass(bytes: Buffer): Promise<void> {
  if (bytes.length === 0) return;
  await file.write(bytes);
  await file.datasync();
  follower?.write(bytes);
}

await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as AddressInfo;
const news: ServerNews = { kind: 'ready', url: `http://127.0.0.1:${port}`, token: 'none' };
process.send?.(news);
process.once('disconnect', () => process.exit(0));
process.on('message', () => process.exit(0));
