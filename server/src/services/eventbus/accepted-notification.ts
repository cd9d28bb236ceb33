/**
 * Reads notifications of plugins of existing installations (wire facts 2.13 and 9.1), in the form of our runs. Missing values get
 * their defaults. Wrong values stay, so that the schema reports them.
 */
import { formatTimestamp, isUuid, parseTimestamp, type Timestamp } from '@tutti/manifests';
import type { Publication } from '../../bus/bus.ts';
import { derivedId } from '../../runtime/derived-id.ts';

type Entries = Readonly<Record<string, unknown>>;

/** The name of a notification that says none. */
const DEFAULT_NAME = 'notification';

const DETAILS = ['failureDetails', 'errorDetails', 'warningDetails'];

/** `now` is the time of the event. */
export function acceptedNotification(publication: Publication, now: Timestamp): Publication {
  const { metadata, spec } = publication;
  if (!isEntries(metadata) || !isEntries(spec)) return publication;
  const named = { ...metadata, name: metadata.name ?? DEFAULT_NAME };
  const { testResults } = spec;
  if (!Array.isArray(testResults)) return { ...publication, metadata: named };
  const origin = `${metadata.workflow_id}/${metadata.attachment_origin}`;
  const results = testResults.map((result, index) =>
    isEntries(result)
      ? resultOf(result, { now, place: `${origin}/${now}/${index}`, origin })
      : result,
  );
  return { ...publication, metadata: named, spec: { ...spec, testResults: results } };
}

/** `origin` is the source of the results in a notification, `place` that of one result. */
interface Context {
  readonly now: Timestamp;
  readonly origin: string;
  readonly place: string;
}

function resultOf(given: Entries, { now, origin, place }: Context): Entries {
  const result = withoutNulls(given);
  const { id, errorsList, duration = 0 } = result;
  return {
    ...result,
    ...Object.fromEntries(DETAILS.flatMap((key) => detailsOf(key, result[key]))),
    ...(Array.isArray(errorsList)
      ? { errorsList: errorsList.map((error) => errorOf(error, now)) }
      : {}),
    id: isUuid(id)
      ? id.toLowerCase()
      : derivedId(idName(result, origin) ?? `test result at ${place}`),
    duration,
  };
}

/** A repeated result with the same id stays the same result. */
function idName({ id, attachment_origin }: Entries, origin: string): string | null {
  return typeof id === 'string' ? `test result ${id} of ${attachment_origin} in ${origin}` : null;
}

function detailsOf(key: string, given: unknown): readonly (readonly [string, unknown])[] {
  if (!isEntries(given)) return given === undefined ? [] : [[key, given]];
  const { message, type, text } = given;
  return [[key, withoutNulls({ message, type, text })]];
}

function errorOf(given: unknown, now: Timestamp): unknown {
  if (!isEntries(given)) return given;
  const { message, timestamp } = given;
  const epochMs = typeof timestamp === 'string' ? parseTimestamp(timestamp) : null;
  return withoutNulls({ message, timestamp: epochMs === null ? now : formatTimestamp(epochMs) });
}

/** Interpreters write null for missing values. */
function withoutNulls(entries: Entries): Entries {
  return Object.fromEntries(
    Object.entries(entries).filter(([, value]) => value !== null && value !== undefined),
  );
}

const isEntries = (value: unknown): value is Entries =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
