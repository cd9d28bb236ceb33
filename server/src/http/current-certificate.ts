/** The certificate in use: it follows its files, and stays if they become unusable. */
import type { SecureContextOptions } from 'node:tls';
import { LIMITS } from '../runtime/limits.ts';
import type { Logger } from '../runtime/logger.ts';
import { readTlsPair, type TlsFiles, type TlsPair, tlsMark } from './tls-files.ts';

const DAY_MS = 86_400_000;
/** Time to get another one. */
const EXPIRY_NOTICE_MS = 14 * DAY_MS;

export interface CurrentCertificateDeps {
  readonly files: TlsFiles;
  readonly logger: Logger;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** Milliseconds since 1970. */
  readonly timeOfDay: () => number;
}

export class CurrentCertificate {
  readonly #deps: CurrentCertificateDeps;
  #pair: TlsPair;
  #mark: string;
  #lookedAtMs: number;

  /** Throws `Invalid` where the files cannot be used. */
  constructor(deps: CurrentCertificateDeps) {
    this.#deps = deps;
    this.#mark = tlsMark(deps.files);
    this.#lookedAtMs = deps.now();
    this.#pair = readTlsPair(deps.files);
    this.#warn();
  }

  get options(): SecureContextOptions {
    return this.#pair.options;
  }

  /** Null if nothing has changed, or the new files are unusable, which is logged once. */
  renewed(): SecureContextOptions | null {
    const { files, logger, now } = this.#deps;
    if (now() - this.#lookedAtMs < LIMITS.tlsLookMs) return null;
    this.#lookedAtMs = now();
    const mark = tlsMark(files);
    if (mark === this.#mark) return null;
    this.#mark = mark;
    try {
      this.#pair = readTlsPair(files);
    } catch (error) {
      logger.error({ err: error }, 'The new certificate cannot be used; the earlier one stays.');
      return null;
    }
    logger.info({ validTo: this.#pair.validTo }, 'The server has a new certificate.');
    this.#warn();
    return this.#pair.options;
  }

  #warn(): void {
    const { files, logger, timeOfDay } = this.#deps;
    const { validTo, isKeyOpen } = this.#pair;
    const leftMs = validTo.getTime() - timeOfDay();
    if (leftMs < 0) {
      logger.error({ validTo }, `The certificate ${files.cert} has expired. Renew it.`);
    } else if (leftMs < EXPIRY_NOTICE_MS) {
      logger.warn({ validTo }, `The certificate ${files.cert} expires soon. Renew it.`);
    }
    if (isKeyOpen) {
      logger.warn(`Everybody on this machine may read the key ${files.key}: chmod 600 it.`);
    }
  }
}
