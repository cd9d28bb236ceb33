/** Failures of a bucket as refusals. The log has the words of the service, but no header, and so no signature. */
import { OrchestratorError } from '@tutti/manifests';
import { LIMITS } from '../../runtime/limits.ts';
import type { BucketPlace } from './bucket-place.ts';
import { CREDENTIALS_ADVICE } from './bucket-place.ts';

/** A failed request. */
export interface BucketFailure {
  /** The code of the service (`AccessDenied`) or of the system (`ECONNREFUSED`). */
  readonly code: string;
  /** Null without an answer. */
  readonly status: number | null;
  readonly message: string;
}

export function failureOf(error: unknown): BucketFailure {
  if (!(error instanceof Error)) return { code: 'Unknown', status: null, message: String(error) };
  const { code: systemCode, $metadata } = error as Error & {
    readonly code?: unknown;
    readonly $metadata?: { readonly httpStatusCode?: number };
  };
  const code = typeof systemCode === 'string' ? systemCode : error.name;
  return { code, status: $metadata?.httpStatusCode ?? null, message: error.message };
}

export const isMissing = (error: unknown): boolean => {
  const { code, status } = failureOf(error);
  return code !== 'NoSuchBucket' && (status === 404 || code === 'NoSuchKey' || code === 'NotFound');
};

/** A refusal that may be retried: the bucket comes back, or somebody corrects its rights. */
export function unavailable(error: unknown): OrchestratorError {
  const { code, status, message } = failureOf(error);
  const said = status === null ? code : `${code}, ${status}`;
  return new OrchestratorError(
    'ServiceUnavailable',
    `The bucket with the files of runs is not available (${said}). Try again later.`,
    {
      // Not the error itself, which has the whole exchange.
      cause: new Error(`${code}: ${message}`),
      retryAfterSeconds: LIMITS.retryAfterSeconds,
    },
  );
}

/** A sentence with what is wrong with a bucket that cannot be used, and what to do. `asked` is the right that was tried. */
export function bucketProblem(error: unknown, place: BucketPlace, asked: string): string {
  const { code, status, message } = failureOf(error);
  const what = `The bucket of ${place.address} cannot be used`;
  if (/^CredentialsProviderError$|^Credentials/.test(code)) {
    return `${what}: there are no credentials for it. ${CREDENTIALS_ADVICE}.`;
  }
  if (WRONG_KEY.includes(code)) {
    return `${what}: its service refuses the credentials (${code}). Correct them: the access key, the secret and the session token belong together.`;
  }
  if (code === 'NoSuchBucket' || (status === 404 && code !== 'NoSuchUpload')) {
    return `${what}: there is no bucket "${place.bucket}". Create it, or correct blobs; for a service of your own, its endpoint may need path-style=true or false.`;
  }
  if (status === 301 || code === 'PermanentRedirect' || code === 'AuthorizationHeaderMalformed') {
    return `${what}: it is in another region (${code}). Name its region in blobs: region=NAME.`;
  }
  if (status === 403) {
    return `${what}: its service refuses ${asked} (${code}). Give these credentials the rights s3:ListBucket on the bucket, and s3:GetObject, s3:PutObject, s3:DeleteObject and s3:AbortMultipartUpload on its objects.`;
  }
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME/.test(code)) {
    return `${what}: the certificate of its service is not trusted (${code}). For an authority of your own, set NODE_EXTRA_CA_CERTS.`;
  }
  if (code === 'Error' && /region/i.test(message)) {
    return `${what}: no region is known. Name it in blobs (region=NAME), or set AWS_REGION.`;
  }
  const said = status === null ? `${code}: ${message}` : `${code}, ${status}: ${message}`;
  return `${what}: ${asked} failed (${said.replace(/\.$/, '')}). Check the address, and whether its service runs.`;
}

const WRONG_KEY: readonly string[] = [
  'InvalidAccessKeyId',
  'SignatureDoesNotMatch',
  'ExpiredToken',
  'InvalidToken',
  'TokenRefreshRequired',
];
