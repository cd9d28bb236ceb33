import { expect, test } from 'vitest';
import { multipartBody } from './start-workflow.ts';

const FILE = { name: 'workflow', filename: 'workflow.yaml' };

/** Reads a body as servers do: names with texts, and with the names of files. */
async function read(body: ReturnType<typeof multipartBody>): Promise<Record<string, unknown>> {
  const request =
    'contentType' in body
      ? new Response(body.text, { headers: { 'content-type': body.contentType } })
      : new Response(body);
  const found: Record<string, unknown> = {};
  for (const [name, value] of await request.formData()) {
    found[name] = typeof value === 'string' ? value : [value.name, await value.text()];
  }
  return found;
}

test.each([
  ['a file alone', 'metadata: {name: x}\n', {}],
  ['fields beside it', 'jobs: {}', { variables: 'A=1\nB=ä€', inputs: 'browser=firefox' }],
  ['no text at all', '', { variables: '' }],
  ['texts that have what would part them', '--tutti-part\r\n', { inputs: 'a=tutti-part-0' }],
])('a body with %s is read as it was written', async (_name, text, fields) => {
  const body = multipartBody({ file: { ...FILE, text }, fields, blobs: {} });
  expect(body).toHaveProperty('contentType');
  expect(await read(body)).toEqual({ workflow: ['workflow.yaml', text], ...fields });
});

test('files go with it as they are', async () => {
  const blobs = { data: new Blob([new Uint8Array([104, 105])]) };
  const body = multipartBody({ file: { ...FILE, text: 'a' }, fields: { inputs: 'b=c' }, blobs });
  expect(await read(body)).toEqual({
    workflow: ['workflow.yaml', 'a'],
    inputs: 'b=c',
    data: ['data', 'hi'],
  });
});
