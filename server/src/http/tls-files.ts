/** The certificate of the server, its key, and the authorities of clients: read of their files, and checked. */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { OrchestratorError } from '@tutti/manifests';
import type { ServerConfig } from '../runtime/config.ts';

export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
  readonly clientCa?: string | undefined;
}

export interface TlsPair {
  /** Key and certificate of new connections. */
  readonly options: SecureContextOptions;
  readonly validTo: Date;
  /** Whether users beyond the key's owner and group can read it. */
  readonly isKeyOpen: boolean;
}

/** Null for HTTP. */
export function tlsFilesOf({ cert, key, clientCa }: ServerConfig['tls']): TlsFiles | null {
  return cert === undefined || key === undefined ? null : { cert, key, clientCa };
}

/** Larger ones are something else. */
const FILE_BYTES_MAX = 1024 * 1024;
const READ_BY_OTHERS = 0o004;

/** Reads certificate and key. Throws `Invalid`, with the key of the configuration and the wrong file. */
export function readTlsPair({ cert, key, clientCa }: TlsFiles): TlsPair {
  const texts = { cert: readPem('tls.cert', cert), key: readPem('tls.key', key) };
  const certificate = certificateIn('tls.cert', cert, texts.cert);
  const privateKey = privateKeyIn(key, texts.key);
  if (!certificate.checkPrivateKey(privateKey)) {
    throw invalid(`tls.key: ${key} is not the key of the certificate ${cert}`);
  }
  const ca = clientCa === undefined ? undefined : readPem('tls.clientCa', clientCa);
  if (ca !== undefined) certificateIn('tls.clientCa', String(clientCa), ca);
  const options = { ...texts, ...(ca !== undefined && { ca }), minVersion: 'TLSv1.2' } as const;
  try {
    createSecureContext(options);
  } catch (cause) {
    throw invalid(`tls.cert: ${cert} and ${key} cannot be used: ${messageOf(cause)}`);
  }
  const isKeyOpen = process.platform !== 'win32' && (statSync(key).mode & READ_BY_OTHERS) !== 0;
  return { options, validTo: certificate.validToDate, isKeyOpen };
}

/** Changes when one of the files may have changed. Never throws. */
export function tlsMark({ cert, key, clientCa }: TlsFiles): string {
  const marks = [cert, key, ...(clientCa === undefined ? [] : [clientCa])].map((file) => {
    const found = statSync(file, { bigint: true, throwIfNoEntry: false });
    return found === undefined ? 'none' : `${found.ino}:${found.size}:${found.mtimeNs}`;
  });
  return marks.join();
}

function readPem(key: string, file: string): string {
  try {
    const info = statSync(file);
    // Reading a pipe would wait for a writer.
    if (!info.isFile() || info.size > FILE_BYTES_MAX) {
      throw new Error(`it is no file of at most ${FILE_BYTES_MAX} bytes`);
    }
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw invalid(`${key}: ${file}: cannot be read: ${messageOf(cause)}`, cause);
  }
}

function certificateIn(key: string, file: string, text: string): X509Certificate {
  try {
    return new X509Certificate(text);
  } catch (cause) {
    throw invalid(`${key}: ${file} has no certificate in PEM form: ${messageOf(cause)}`);
  }
}

function privateKeyIn(file: string, text: string): KeyObject {
  try {
    return createPrivateKey(text);
  } catch (cause) {
    throw invalid(
      `tls.key: ${file} has no private key in PEM form without a passphrase: ${messageOf(cause)}`,
    );
  }
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

const invalid = (problem: string, cause?: unknown): OrchestratorError =>
  new OrchestratorError('Invalid', `Not a valid configuration: ${problem}.`, { cause });
