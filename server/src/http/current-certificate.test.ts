import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createSelfSigned } from '../bus/self-signed.fixture.ts';
import { createLogger } from '../runtime/logger.ts';
import { CurrentCertificate } from './current-certificate.ts';
import { readTlsPair } from './tls-files.ts';

const PAIR = createSelfSigned('300101000000Z');
const OTHER = createSelfSigned();
const DAY_MS = 86_400_000;
const END_MS = Date.UTC(2030, 0, 1);

let folder = '';
let files = { cert: '', key: '' };
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tutti-certificate-'));
  files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  place(PAIR);
});
afterEach(() => rmSync(folder, { recursive: true }));

function place({ cert, key }: typeof PAIR): void {
  writeFileSync(files.cert, cert);
  writeFileSync(files.key, key, { mode: 0o600 });
}

function opened(timeOfDayMs = END_MS - 30 * DAY_MS) {
  const lines: string[] = [];
  const time = { nowMs: 0 };
  const write = (line: string) => void lines.push(JSON.parse(line).msg);
  const certificate = new CurrentCertificate({
    files,
    logger: createLogger({ level: 'info', destination: { write } }),
    now: () => time.nowMs,
    timeOfDay: () => timeOfDayMs,
  });
  return { certificate, lines, time };
}

test.each([
  ['well before its end', 30, []],
  ['in its last two weeks', 13, [expect.stringContaining('expires soon')]],
  ['after its end', -1, [expect.stringContaining('has expired')]],
])('a certificate %s is reported as such', (_when, daysLeft, expected) => {
  expect(opened(END_MS - daysLeft * DAY_MS).lines).toEqual(expected);
});

test('files are looked at once a second at most, and a new pair counts', () => {
  const { certificate, time } = opened();
  place(OTHER);
  time.nowMs = 999;
  expect(certificate.renewed()).toBeNull();
  time.nowMs = 1_000;
  expect(certificate.renewed()).toMatchObject({ cert: OTHER.cert, key: OTHER.key });
  time.nowMs = 2_000;
  expect(certificate.renewed()).toBeNull();
  expect(certificate.options).toMatchObject(OTHER);
});

test('a pair that does not fit leaves the earlier one, and is reported once', () => {
  const { certificate, time, lines } = opened();
  writeFileSync(files.key, OTHER.key);
  for (const nowMs of [1_000, 2_000, 3_000]) {
    time.nowMs = nowMs;
    expect(certificate.renewed()).toBeNull();
  }
  expect(lines).toEqual(['The new certificate cannot be used; the earlier one stays.']);
  expect(certificate.options).toMatchObject(PAIR);
});

test.each([
  ['is not there', () => rmSync(files.cert), /^Not a valid configuration: tls\.cert: .*ENOENT/],
  ['is no certificate', () => writeFileSync(files.cert, 'x'), /tls\.cert: .* has no certificate/],
  ['has no key', () => writeFileSync(files.key, 'x'), /tls\.key: .* has no private key in PEM/],
  ['has the key of another one', () => writeFileSync(files.key, OTHER.key), /is not the key of/],
])('a pair that %s is refused', (_what, change, message) => {
  change();
  expect(() => readTlsPair(files)).toThrow(message);
});
