/** A client of a bucket that tries again for a given time. */
import { setTimeout as pause } from 'node:timers/promises';
import { S3Client } from '@aws-sdk/client-s3';
import type { BucketPlace } from './bucket-place.ts';
import { BUCKET_LIMITS } from './limits.ts';

interface RetryToken {
  getRetryCount(): number;
  getRetryDelay(): number;
}

export interface Patience {
  /** Time in which a request is tried again, in milliseconds. */
  readonly patienceMs: number;
  /** Ends all waiting. */
  readonly closing: AbortSignal;
}

/** The region is part of a signature. Servers of one's own mostly take any, and this one is the usual default. */
const ANY_REGION = 'us-east-1';

export function createBucketClient(place: BucketPlace, patience: Patience): S3Client {
  const { endpoint, region, isPathStyle } = place;
  const known = region ?? (endpoint === null ? null : (process.env.AWS_REGION ?? ANY_REGION));
  // As many as there are readers: one that reads slowly must not keep another waiting.
  const agent = { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY };
  return new S3Client({
    ...(endpoint === null ? {} : { endpoint }),
    ...(known === null ? {} : { region: known }),
    forcePathStyle: isPathStyle,
    // The hash of the content is signed. Not all services know further checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // It would open a connection for each large part.
    expectContinueHeader: false,
    requestHandler: {
      connectionTimeout: BUCKET_LIMITS.connectMs,
      socketTimeout: BUCKET_LIMITS.silenceMs,
      httpAgent: agent,
      httpsAgent: agent,
    },
    retryStrategy: {
      acquireInitialRetryToken: async () => tokenOf(0, performance.now() + patience.patienceMs),
      refreshRetryTokenForRetry: async (token: RetryToken, { errorType }) => {
        const untilMs = (token as PatientToken).untilMs;
        const count = token.getRetryCount() + 1;
        if (errorType === 'CLIENT_ERROR') throw new Error('Another try would be refused, too.');
        await pauseWithin(count, untilMs, patience.closing);
        return tokenOf(count, untilMs);
      },
      recordSuccess: () => undefined,
    },
  });
}

interface PatientToken extends RetryToken {
  readonly untilMs: number;
}

const tokenOf = (count: number, untilMs: number): PatientToken => ({
  untilMs,
  getRetryCount: () => count,
  // The pause is over when there is a token.
  getRetryDelay: () => 0,
});

/** Waits before try number `count`; rejects when there is no time left for it, or on closing. */
export async function pauseWithin(
  count: number,
  untilMs: number,
  closing: AbortSignal,
): Promise<void> {
  const longest = Math.min(BUCKET_LIMITS.pauseMsMin * 2 ** count, BUCKET_LIMITS.pauseMsMax);
  const ms = (longest * (1 + Math.random())) / 2;
  if (performance.now() + ms > untilMs) throw new Error('The time for further tries is over.');
  await pause(ms, undefined, { signal: closing });
}
