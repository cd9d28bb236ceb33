/** Requirements of agents on transfers of files. The numbers are those of the checklist of clients. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { expect, test } from 'vitest';
import { allEvents, ended, logTexts, only, sh, startedId } from '../../support/runs.ts';
import { OK, usePlayedAgents } from './played-agents.ts';

const agents = usePlayedAgents();
const BYTES = Uint8Array.from({ length: 70_000 }, (_, index) => index % 256);

/** Content of the one file that the steps of a run attached. */
async function attachedBytes(id: string): Promise<Uint8Array> {
  const [uuid] = only(await allEvents(agents.api, id), 'ExecutionResult').flatMap(({ metadata }) =>
    Object.values(metadata.attachments ?? {}).map((attachment) => attachment.uuid),
  );
  const headers = { authorization: `Bearer ${agents.server.token}` };
  const answer = await fetch(`${agents.server.url}/workflows/${id}/files/${uuid}`, { headers });
  return new Uint8Array(await answer.arrayBuffer());
}

/** Posts chunks, without type and length, as these agents send empty files. */
async function sendPieces(path: string, pieces: readonly Uint8Array[]): Promise<number> {
  const headers = {
    authorization: `Bearer ${agents.server.token}`,
    'transfer-encoding': 'chunked',
  };
  const sent = request(`${agents.server.url}${path}`, { method: 'POST', headers });
  const answered = once(sent, 'response');
  for (const piece of pieces) sent.write(piece);
  sent.end();
  const [answer]: IncomingMessage[] = await answered;
  answer?.resume();
  return answer?.statusCode ?? 0;
}

/** An agent that was told of a file to fetch, which its step asked for. */
async function shownOfFile() {
  const { agent, manifest: plain } = await agents.lone([sh('put')]);
  const manifest = { ...plain, resources: { files: ['f'] } };
  const form = new FormData();
  form.set('workflow', new Blob([JSON.stringify(manifest)]));
  form.set('f', new Blob(['content']), 'f');
  const id = startedId(await agents.server.call('POST', '/workflows', { body: form }));
  await agent.work();
  await agent.post({ ...OK, stdout: ['::put file=f::f'] });
  return { agent, id, put: await agent.work() };
}

// HTTP 4.3: Files of agents have an address each, for GET, POST and PUT.
test.concurrent('8.80: files come and go byte for byte, also empty ones', async () => {
  for (const [content, method] of [
    [BYTES, 'POST'],
    [new Uint8Array(), 'POST'],
    [new Uint8Array(), 'PUT'],
  ] as const) {
    const { agent, id, get } = await agents.askedForFile();
    expect((await agent.sendFile(get.file_id, content, { method })).code).toBe(200);
    await agent.work();
    await agent.post(OK);
    expect(await ended(agents.api, id)).toBe('DONE');
    expect(await attachedBytes(id)).toEqual(content);
  }
  for (const pieces of [[BYTES.slice(0, 9), BYTES.slice(9)], []]) {
    const { agent, id, get } = await agents.askedForFile();
    expect(await sendPieces(`/agents/${agent.id}/files/${get.file_id}`, pieces)).toBe(200);
    await agent.work();
    await agent.post(OK);
    expect(await ended(agents.api, id)).toBe('DONE');
    expect(Buffer.from(await attachedBytes(id))).toEqual(Buffer.concat(pieces));
  }
  const { agent } = await agents.assigned(['echo exactly'], {});
  const put = await agent.work();
  const file = await agent.getFile(put.file_id);
  expect([file.code, file.text.includes('echo exactly')]).toEqual([200, true]);
});

// Language 3.8: A file that cannot reach the environment ends the step with 2.
test.concurrent('8.81: an error at the address of a file is no content', async () => {
  const { agent, id } = await agents.assigned(['true'], {});
  const put = await agent.work();
  const error = JSON.stringify({ details: { error: 'the disk is full' } });
  const headers = { 'content-type': 'application/json' };
  expect((await agent.sendFile(put.file_id, error, { headers })).code).toBe(200);
  const release = await agent.work();
  expect(release).toMatchObject({ kind: 'put', path: expect.stringContaining('_-2.sh') });
  await agent.getFile(release.file_id);
  await agent.work();
  await agent.post(OK);
  expect(await ended(agents.api, id)).toBe('FAILED');
  expect((await logTexts(agents.api, id)).join('\n')).toContain('the disk is full');
});

// Other tests control the clock and show the timeout of a transfer: transfers.int.test.ts and liveness.int.test.ts of agentchannel.
// HTTP 4.3: Files of agents have an address each, for GET, POST and PUT.
test.concurrent('8.82: a put is done with its GET, a get with its POST, and errors fail both', async () => {
  const old = await agents.assigned(['true'], {});
  const put = await old.agent.work();
  await old.agent.getFile(put.file_id);
  expect(await old.agent.work()).toMatchObject({ kind: 'exec' });
  const { agent, get } = await agents.askedForFile();
  await agent.sendFile(get.file_id, 'content');
  expect(await agent.work()).toMatchObject({ command: expect.stringContaining('_-2.sh') });
  // An agent that asks for work again without the file gets the same order again.
  const late = await agents.assigned(['true'], {});
  expect(await late.agent.work()).toEqual(await late.agent.work());
  for (const asked of [await agents.askedForFile(), await shownOfFile()]) {
    await asked.agent.post({ details: { error: 'it is gone' } });
    await asked.agent.work();
    await asked.agent.post(OK);
    expect(await ended(agents.api, asked.id)).toBe('FAILED');
    expect((await logTexts(agents.api, asked.id)).join('\n')).toContain('it is gone');
  }
});
