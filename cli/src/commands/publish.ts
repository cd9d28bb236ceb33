/** `tutti publish`: sends an event to matching subscriptions. */
import { acceptedApiVersions, messages } from '@tutti/manifests';
import { readObject } from '../authoring/read-document.ts';
import { type ConnectionOptions, connect } from '../connection/connection.ts';
import { type ValuePath, valuePath } from '../resources/value-path.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { UsageError } from '../terminal/problem.ts';

export interface PublishOptions extends ConnectionOptions {
  readonly kind?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly workflow?: string;
  /** Values by their paths. */
  readonly entry?: Readonly<Record<string, string>>;
}

/** Publishes an event. Resolves with the exit code: a failure if no subscription matches. */
export async function publishEvent(
  file: string | undefined,
  options: PublishOptions,
  io: Io,
): Promise<number> {
  const event = await eventOf(file, options, io);
  const client = await connect(options, io);
  const body = { contentType: 'application/json', text: JSON.stringify(event) };
  const { message } = await client.ask({ method: 'POST', path: '/publications', body });
  io.screen.write(`${String(message)}\n`);
  return message === messages.publicationUnmatched() ? EXIT_CODES.failed : EXIT_CODES.done;
}

async function eventOf(file: string | undefined, options: PublishOptions, io: Io): Promise<object> {
  const { kind, name, namespace, workflow, entry = {} } = options;
  if (file === undefined && kind === undefined) {
    throw new UsageError(
      'No event is named.',
      'name a file with one, - for standard input, or a kind with --kind.',
    );
  }
  const base =
    file === undefined ? { apiVersion: DEFAULT_VERSION } : await readObject(file, 'event', io);
  const given = {
    kind,
    'metadata.name': name,
    'metadata.namespace': namespace,
    'metadata.workflow_id': workflow,
    ...entry,
  };
  return Object.entries(given).reduce<object>(
    (event, [path, value]) =>
      value === undefined ? event : withEntry(event, pathOf(path), value, path),
    base,
  );
}

/** Version of events of tools. Kinds of the server have their own versions, in the file. */
const DEFAULT_VERSION = acceptedApiVersions('Subscription')[0];

function pathOf(text: string): ValuePath {
  const path = valuePath(text);
  if (path !== null && !path.includes('*') && !path.includes('*~')) return path;
  throw new UsageError(
    `Not the path of an entry: "${text}".`,
    'write names with dots between them, as in -e spec.text=hello; a name with dots stands in brackets, as in metadata.labels[example.com/team].',
  );
}

/** Sets the value at the path; missing parts become objects. */
function withEntry(
  object: object,
  [name = '', ...rest]: ValuePath,
  value: string,
  text: string,
): object {
  if (rest.length === 0) return { ...object, [name]: value };
  const inner: unknown = Object.entries(object).find(([key]) => key === name)?.[1] ?? {};
  if (typeof inner === 'object' && inner !== null && !Array.isArray(inner)) {
    return { ...object, [name]: withEntry(inner, rest, value, text) };
  }
  throw new UsageError(
    `${text} cannot be set: "${name}" is no object in the event.`,
    'set another entry, or change the file.',
  );
}
