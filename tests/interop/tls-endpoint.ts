/** A server behind TLS, with a certificate that nobody vouches for. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { pipeline } from 'node:stream';
import { createServer } from 'node:tls';
import type { TestContext } from 'vitest';
import { createSelfSigned } from '../../server/src/bus/self-signed.fixture.ts';
import type { Api } from '../support/api.ts';

/** Its address. Ends with the test. */
export async function openTls(
  { url }: Pick<Api, 'url'>,
  { onTestFinished }: TestContext,
): Promise<string> {
  const { hostname, port } = new URL(url);
  const endpoint = createServer(createSelfSigned(), (secured) => {
    const plain = connect(Number(port), hostname);
    // A side that breaks off ends the other side as well.
    pipeline(secured, plain, secured, () => undefined);
  }).listen(0, '127.0.0.1');
  await once(endpoint, 'listening');
  onTestFinished(() => void endpoint.close());
  const address = endpoint.address();
  if (address === null || typeof address === 'string') throw new Error('There is no port.');
  return `https://127.0.0.1:${address.port}`;
}
