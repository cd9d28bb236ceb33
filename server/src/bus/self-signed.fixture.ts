/** A self-signed certificate, made for each test. It is X.509 in its binary form, as small as possible. */
import { generateKeyPairSync, sign } from 'node:crypto';

const SEQUENCE = 0x30;
const SET = 0x31;

function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const size = content.length;
  const length =
    size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}

const bytes = (...values: readonly number[]): Buffer => Buffer.from(values);
/** ecdsa-with-SHA256 */
const ALGORITHM = der(SEQUENCE, der(0x06, bytes(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02)));
const COMMON_NAME = der(0x06, bytes(0x55, 0x04, 0x03));
const NAME = der(SEQUENCE, der(SET, der(SEQUENCE, COMMON_NAME, der(0x0c, Buffer.from('test')))));
const time = (text: string): Buffer => der(0x17, Buffer.from(text));

/** subjectAltName: an address of this machine alone. */
const EXTENSIONS = der(
  0xa3,
  der(
    SEQUENCE,
    der(
      SEQUENCE,
      der(0x06, bytes(0x55, 0x1d, 0x11)),
      der(0x04, der(SEQUENCE, der(0x87, bytes(127, 0, 0, 1)))),
    ),
  ),
);
/** The third one, which has extensions. */
const VERSION = der(0xa0, der(0x02, bytes(2)));

/** For `https://127.0.0.1`, until a time as in `491231235959Z`. */
export function createSelfSigned(until = '491231235959Z'): {
  readonly key: string;
  readonly cert: string;
} {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const content = der(
    SEQUENCE,
    VERSION,
    der(0x02, bytes(1)),
    ALGORITHM,
    NAME,
    der(SEQUENCE, time('200101000000Z'), time(until)),
    NAME,
    publicKey.export({ type: 'spki', format: 'der' }),
    EXTENSIONS,
  );
  const signature = sign('sha256', content, privateKey);
  const certificate = der(SEQUENCE, content, ALGORITHM, der(0x03, bytes(0), signature));
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
  };
}
