/** The address of a bucket: `s3://bucket/prefix?endpoint=https://objects.example.com&region=eu-1&path-style=true`. */
import { OrchestratorError } from '@tutti/manifests';

export interface BucketPlace {
  readonly bucket: string;
  /** Begins each key of the bucket; empty, or with a slash at its end. */
  readonly prefix: string;
  /** Null for the service that its libraries know by region. */
  readonly endpoint: string | null;
  /** Null for the region of the environment. */
  readonly region: string | null;
  /** Whether the bucket is in the path of a request, and not in the name of the host. */
  readonly isPathStyle: boolean;
  /** The address without what is its default, for messages and comparisons. It has no secret. */
  readonly address: string;
}

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const PREFIX = /^[a-zA-Z0-9._-]+(\/[a-zA-Z0-9._-]+)*$/;
const REGION = /^[a-zA-Z0-9-]+$/;
const OPTIONS: readonly string[] = ['endpoint', 'region', 'path-style'];
const SECRET = /key|secret|token|password|credential|signature/i;

const EXAMPLE = 's3://bucket/prefix?endpoint=https://objects.example.com';

/** Where credentials belong; for messages. */
export const CREDENTIALS_ADVICE =
  'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment of the server, name a file of credentials with AWS_SHARED_CREDENTIALS_FILE, or give the machine a role';

/** Throws `Invalid` for any other text. The message repeats no part that may be secret. */
export function parseBucketPlace(text: string): BucketPlace {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.protocol !== 's3:') throw wrong(`it is not an address like ${EXAMPLE}`);
  const options = url.searchParams;
  const names = [...options.keys()];
  const hasSecret = url.username !== '' || url.password !== '' || names.some((n) => SECRET.test(n));
  if (hasSecret) {
    throw wrong(
      `an address may not have credentials, since others can read it. ${CREDENTIALS_ADVICE}`,
    );
  }
  const unknown = names.find((name, at) => !OPTIONS.includes(name) || names.indexOf(name) !== at);
  if (unknown !== undefined) {
    throw wrong(`it may have ${OPTIONS.join(', ')} once each, and not "${unknown}"`);
  }
  const place = {
    bucket: bucketIn(url),
    prefix: prefixIn(url),
    endpoint: endpointIn(options.get('endpoint')),
    region: regionIn(options.get('region')),
  };
  const isPathStyle = isPathStyleIn(options.get('path-style'), place.endpoint);
  return { ...place, isPathStyle, address: addressOf({ ...place, isPathStyle }) };
}

function bucketIn({ host }: URL): string {
  if (!BUCKET.test(host)) throw wrong('its bucket is no name of a bucket');
  return host;
}

function prefixIn({ pathname, hash }: URL): string {
  const path = pathname.replace(/^\/|\/$/g, '');
  if (hash !== '' || (path !== '' && !PREFIX.test(path))) {
    throw wrong('its prefix may have letters, digits, ".", "_", "-" and "/"');
  }
  return path === '' ? '' : `${path}/`;
}

function endpointIn(text: string | null): string | null {
  if (text === null) return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  const isUsable =
    url !== null && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '';
  if (!isUsable) throw wrong('its endpoint is no http or https address');
  if (url.username !== '' || url.password !== '') {
    throw wrong(`its endpoint may not have credentials. ${CREDENTIALS_ADVICE}`);
  }
  return url.href.replace(/\/$/, '');
}

function regionIn(text: string | null): string | null {
  if (text !== null && !REGION.test(text)) throw wrong('its region is no name of a region');
  return text;
}

/** Servers of one's own rarely have a host name for each bucket. */
function isPathStyleIn(text: string | null, endpoint: string | null): boolean {
  if (text === null) return endpoint !== null;
  if (text !== 'true' && text !== 'false') throw wrong('its path-style is true or false');
  return text === 'true';
}

function addressOf(place: Omit<BucketPlace, 'address'>): string {
  const { bucket, prefix, endpoint, region, isPathStyle } = place;
  const options = [
    ...(endpoint === null ? [] : [`endpoint=${endpoint}`]),
    ...(region === null ? [] : [`region=${region}`]),
    ...(isPathStyle === (endpoint !== null) ? [] : [`path-style=${isPathStyle}`]),
  ];
  const path = prefix === '' ? '' : `/${prefix.slice(0, -1)}`;
  return `s3://${bucket}${path}${options.length === 0 ? '' : `?${options.join('&')}`}`;
}

const wrong = (why: string): OrchestratorError =>
  new OrchestratorError('Invalid', `Not a valid configuration: blobs: ${why}.`);
