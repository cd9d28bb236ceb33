/** Files of a GiB pass through a server that has a small heap. A transfer that breaks off leaves nothing. */
import { once } from 'node:events';
import { createReadStream, readdirSync } from 'node:fs';
import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { bodyOf, itemsOf } from '../support/api.ts';
import {
  countPatterned,
  exchange,
  formWithFile,
  GIB,
  MIB,
  open,
  PATTERN,
  patterned,
  postForm,
} from '../support/big-content.ts';
import { eventually } from '../support/eventually.ts';
import { type ExistingAgent, registerExisting } from '../support/existing-agent.ts';
import { openFiles, peakMemory } from '../support/process-facts.ts';
import { attachmentOf, ended, logOf, oneJob, sh, start, startedId } from '../support/runs.ts';
import { type AgentChild, type ServerChild, Workbench } from '../support/workbench.ts';

const MANIFEST = JSON.stringify({
  metadata: { name: 'with a file' },
  resources: { files: ['data'] },
  jobs: { main: { 'runs-on': 'nowhere', steps: [{ run: 'true' }] } },
});
/** Memory for files of any size: the garbage of some hundred chunks, and never the file. */
const GROWTH_MAX = 192 * MIB;

let bench: Workbench;
let server: ServerChild;
let agent: AgentChild;
let blobs: string;

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server({ nodeOptions: ['--max-old-space-size=256'] });
  agent = await bench.agent(server, { tags: ['linux'], name: 'shell' });
  blobs = join(server.dataDir, 'blobs');
  expect(await ended(server, await start(server, oneJob('warm', [sh('true')])))).toBe('DONE');
});

afterAll(() => bench.close());

/** Every file of the blob store, also those that are still being written. */
function filesKept(): readonly string[] {
  try {
    return readdirSync(blobs, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name));
  } catch (error) {
    // A folder goes with its last file, perhaps while it is read.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return filesKept();
    throw error;
  }
}

async function runsKept(): Promise<readonly unknown[]> {
  return itemsOf(await server.call('GET', '/workflows'));
}

// Mostly waiting for the disk, which others may be using too.
describe('a file of a GiB', { timeout: 240_000 }, () => {
  let before = 0;
  beforeEach(() => {
    before = peakMemory(server.child.pid);
  });

  const expectSmallGrowth = () =>
    expect(peakMemory(server.child.pid) - before).toBeLessThan(GROWTH_MAX);

  test('goes from step to step as an artifact', async () => {
    const upload = 'truncate -s 1G big; printf end >> big; echo "::upload::$PWD/big"; rm -f none';
    const check = 'stat -c %s copy; tail -c 3 copy; rm copy';
    const steps = [sh(upload), sh('rm big; echo "::download file=big::copy"'), sh(check)];
    const id = await start(server, oneJob('artifact', steps));
    expect(await ended(server, id, { withinMs: 200_000 })).toBe('DONE');
    expect(await logOf(server, id)).toMatch(new RegExp(`${GIB + 3}\\n[^\\n]*end\\n`));
    expectSmallGrowth();
    await rm(join(blobs, id), { recursive: true });
  });

  // HTTP 4.6: Files of any size, and a request that breaks off leaves nothing.
  test('comes with the request for its run', async () => {
    const id = startedId(await postForm(server, formWithFile(MANIFEST, 'data', GIB)));
    const [kept = '', ...others] = filesKept();
    expect(others).toEqual([]);
    expect(await countPatterned(createReadStream(kept))).toBe(GIB);
    expectSmallGrowth();
    await server.call('DELETE', `/workflows/${id}`);
    await rm(kept);
  });

  // HTTP 4.8: GET gives the content, without a manifest, under its own type.
  test('comes from an agent, and goes out whole and in part', async () => {
    const pattern = join(bench.folder, 'pattern');
    await writeFile(pattern, PATTERN);
    const times = Math.floor(GIB / PATTERN.length);
    const make = `i=0; while [ $i -lt ${times} ]; do cat '${pattern}'; i=$((i+1)); done > big; head -c ${GIB % PATTERN.length} '${pattern}' >> big`;
    const id = await start(server, oneJob('attaches', [sh(`${make}; echo "::attach::$PWD/big"`)]));
    expect(await ended(server, id, { withinMs: 120_000 })).toBe('DONE');
    await rm(join(agent.workspaceDir, 'big'), { force: true });
    const path = await attachmentOf(server, id);
    expect((await server.call('HEAD', path)).headers.get('content-length')).toBe(String(GIB));
    const whole = await exchange(open(server, 'GET', path));
    expect(await countPatterned(whole)).toBe(GIB);
    const end = await exchange(open(server, 'GET', path, { headers: { range: 'bytes=-1000' } }));
    expect(end.headers['content-range']).toBe(`bytes ${GIB - 1000}-${GIB - 1}/${GIB}`);
    const tail = await buffer(end);
    expect(tail).toEqual(Buffer.concat([...patterned(GIB)].slice(-2)).subarray(-1000));
    expectSmallGrowth();
  });
});

describe('a client that leaves half-way', () => {
  let files: readonly string[];
  let runs: readonly unknown[];
  beforeEach(async () => {
    [files, runs] = [filesKept(), await runsKept()];
  });

  /** Sends until the server writes a file, then breaks off. */
  async function breakOff(sent: ReturnType<typeof open>, content: Buffer): Promise<void> {
    const gone = new Promise((resolve) => sent.on('error', () => undefined).once('close', resolve));
    sent.write(content);
    await eventually('the beginning of the file', () => filesKept().length > files.length);
    sent.destroy();
    await gone;
  }

  const expectNothingLeft = async () => {
    await eventually('the end of the file', () => filesKept().length === files.length);
    expect(filesKept()).toEqual(files);
    expect(await runsKept()).toEqual(runs);
    expect(server.child.stderr).not.toContain('request failed');
  };

  // HTTP 4.6: Files of any size, and a request that breaks off leaves nothing.
  test('while it sends a file leaves nothing', async () => {
    const { headers, body } = formWithFile(MANIFEST, 'data', 100 * MIB);
    const [head = Buffer.alloc(0), content = head] = body();
    await breakOff(open(server, 'POST', '/workflows', { headers }), Buffer.concat([head, content]));
    await expectNothingLeft();
  });

  // HTTP 4.6: Files of any size, and a request that breaks off leaves nothing.
  test('after a file, before the end of the request, leaves nothing', async () => {
    const { headers, body } = formWithFile(MANIFEST, 'data', MIB);
    const pieces = Buffer.concat([...body()]);
    const next = Buffer.from('\r\n--big\r\nContent-Disposition: form-data; name="inputs"\r\n\r\n');
    const content = Buffer.concat([pieces.subarray(0, pieces.lastIndexOf('\r\n--big')), next]);
    const sent = open(server, 'POST', '/workflows', {
      headers: { ...headers, 'content-length': '100000000' },
    });
    await breakOff(sent, content);
    await expectNothingLeft();
  });

  // HTTP 4.3: Files of agents have an address each, for GET, POST and PUT.
  test('while an agent sends a file leaves nothing, and the file may come again', async () => {
    const { id, path, existing, fileId } = await attaching('left');
    runs = await runsKept();
    const sent = open(server, 'POST', path, { headers: { 'content-length': '100000000' } });
    await breakOff(sent, PATTERN);
    await expectNothingLeft();
    expect((await existing.sendFile(fileId, 'whole')).code).toBe(200);
    await finish(existing);
    expect(await ended(server, id)).toBe('DONE');
    const attachment = await attachmentOf(server, id);
    expect((await server.call('GET', attachment)).text).toBe('whole');
  });

  // HTTP 4.8: GET gives the content, without a manifest, under its own type.
  test('while it reads a file does not keep it open', async () => {
    const { id, existing, fileId } = await attaching('read');
    await existing.sendFile(fileId, Buffer.concat([...patterned(64 * MIB)]));
    await finish(existing);
    expect(await ended(server, id)).toBe('DONE');
    const sent = open(server, 'GET', await attachmentOf(server, id));
    const answer = await exchange(sent);
    await once(answer, 'readable');
    sent.destroy();
    await eventually('the closing', () => openFiles(server.child.pid, blobs).length === 0);
    expect((await server.call('GET', '/health')).text).toBe('OK');
  });
});

/** A run with a step on an agent of another make. The step attached a file, and the server asked the agent for it. */
async function attaching(name: string) {
  const existing = await registerExisting(server, ['linux', name], {
    metadata: { version: '2.5.0', namespaces: '*' },
  });
  const id = await start(server, oneJob(name, [sh('attach')], { 'runs-on': name }));
  await existing.work();
  const stdout = ['::attach::/tmp/some.bin'];
  await existing.post({ stdout, stderr: [], exit_status: 0, variables: null });
  const { file_id: fileId } = await existing.work();
  return { id, existing, fileId, path: `/agents/${existing.id}/files/${fileId}` };
}

/** Takes what comes at the end of a job. */
async function finish(existing: ExistingAgent): Promise<void> {
  await existing.work();
  await existing.post({ stdout: [], stderr: [], exit_status: 0 });
}

describe('a disk that takes no files', () => {
  const incoming = () => join(blobs, '~incoming');
  beforeAll(async () => {
    await rm(incoming(), { recursive: true });
    await writeFile(incoming(), 'no folder');
  });
  afterAll(async () => {
    await rm(incoming());
    await mkdir(incoming());
  });
  const WHY = 'The file could not be stored: the disk of the server failed (ENOTDIR).';

  // HTTP 4.6: Files of any size, and a request that breaks off leaves nothing.
  test('is told to who starts a run with a file, and in the log of the server', async () => {
    const runs = await runsKept();
    const answer = await postForm(server, formWithFile(MANIFEST, 'data', 20 * MIB));
    expect(bodyOf(answer)).toMatchObject({ code: 500, reason: 'InternalError', message: WHY });
    expect(await runsKept()).toEqual(runs);
    expect(server.child.stderr).toContain('request failed');
  });

  test('is told in the log of a run that attaches a file', async () => {
    const step = sh('echo x > small; echo "::attach::$PWD/small"');
    const id = await start(server, oneJob('fails', [step]));
    expect(await ended(server, id)).toBe('FAILED');
    expect(await logOf(server, id)).toContain(WHY);
  });
});

test('files are kept again once the disk takes them', async () => {
  const id = startedId(await postForm(server, formWithFile(MANIFEST, 'data', MIB)));
  expect((await stat(join(blobs, id, 'in_0'))).size).toBe(MIB);
});
