/** `tutti subscriptions create`: an inbox gets events from now on. */
import { acceptedApiVersions } from '@tutti/manifests';
import { readObject } from '../authoring/read-document.ts';
import { type ConnectionOptions, connect } from '../connection/connection.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { UsageError } from '../terminal/problem.ts';

export interface CreateSubscriptionOptions extends ConnectionOptions {
  readonly file?: string;
  readonly name?: string;
  readonly endpoint?: string;
  readonly kind?: string;
  readonly labelSelector?: Readonly<Record<string, string>>;
  readonly fieldSelector?: Readonly<Record<string, string>>;
  readonly insecureInbox?: boolean;
  readonly output: 'text' | 'name';
}

/** Resolves with the exit code. */
export async function createSubscription(
  options: CreateSubscriptionOptions,
  io: Io,
): Promise<number> {
  const manifest =
    options.file === undefined
      ? manifestOf(options)
      : await readObject(options.file, 'subscription', io);
  const client = await connect(options, io);
  const body = { contentType: 'application/json', text: JSON.stringify(manifest) };
  const answer = await client.ask({ method: 'POST', path: '/subscriptions', body });
  const created = options.output === 'name' ? idIn(answer.details) : String(answer.message);
  io.screen.write(`${created}\n`);
  return EXIT_CODES.done;
}

function manifestOf(options: CreateSubscriptionOptions): object {
  const { name, endpoint, kind, labelSelector, fieldSelector, insecureInbox } = options;
  if (endpoint === undefined) {
    throw new UsageError(
      'A subscription needs the address that events are sent to.',
      'name it with --endpoint, or name a file with the whole subscription with -f.',
    );
  }
  const selector = {
    ...(kind === undefined ? {} : { matchKind: kind }),
    ...(fieldSelector === undefined ? {} : { matchFields: fieldSelector }),
    ...(labelSelector === undefined ? {} : { matchLabels: labelSelector }),
  };
  const [apiVersion] = acceptedApiVersions('Subscription');
  return {
    apiVersion,
    kind: 'Subscription',
    metadata: { name: name ?? URL.parse(endpoint)?.hostname ?? 'inbox' },
    spec: {
      ...(Object.keys(selector).length === 0 ? {} : { selector }),
      subscriber: {
        endpoint,
        ...(insecureInbox === true ? { 'insecure-skip-tls-verify': true } : {}),
      },
    },
  };
}

function idIn(details: unknown): string {
  const isRecord = typeof details === 'object' && details !== null;
  return isRecord && 'uuid' in details ? String(details.uuid) : '';
}
