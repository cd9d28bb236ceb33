/** A server of several teams, with tokens that reach only some of it. */
import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { onTestFinished } from 'vitest';
import { type Answer, type Api, bodyOf, createApi, type Loose } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { type Inbox, openInbox } from '../support/inbox.ts';
import { signedToken } from '../support/tokens.ts';
import { type ServerChild, type ServerOptions, Workbench } from '../support/workbench.ts';

export interface Teams {
  readonly bench: Workbench;
  readonly server: ServerChild;
  /** The interface with a token that has these restrictions. */
  as(subject: string, restrictions?: Loose): Api;
}

export async function openTeams(options: ServerOptions = {}): Promise<Teams> {
  const bench = await Workbench.open();
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const path = bench.path('authority.pem');
  await writeFile(path, publicKey.export({ type: 'spki', format: 'pem' }));
  const auth = { trustedKeys: [{ path, namespaces: '*' }] };
  const server = await bench.server({ ...options, config: { ...options.config, auth } });
  return {
    bench,
    server,
    as: (sub, tutti) => {
      const claims = { iss: 'an authority', sub, ...(tutti === undefined ? {} : { tutti }) };
      return createApi(server.url, signedToken(privateKey, { header: { alg: 'ES256' }, claims }));
    },
  };
}

export const publish = (api: Api, body: object): Promise<Answer> =>
  api.call('POST', '/publications', { body });

/** An inbox of a test, subscribed by that bearer. */
export async function subscribed(api: Api, selector: object | null = null): Promise<Inbox> {
  const inbox = await openInbox();
  onTestFinished(() => inbox.close());
  await subscribe(api, inbox.endpoint, selector);
  return inbox;
}

export async function subscribe(
  api: Api,
  endpoint: string,
  selector: object | null,
): Promise<string> {
  const answer = await api.call('POST', '/subscriptions', {
    body: {
      apiVersion: 'opentestfactory.org/v1alpha1',
      kind: 'Subscription',
      metadata: { name: 'a plugin' },
      spec: { ...(selector === null ? {} : { selector }), subscriber: { endpoint } },
    },
  });
  const { details } = bodyOf(answer);
  if (answer.code !== 201) throw new Error(`Not subscribed: ${answer.text}`);
  const { uuid } = details as { uuid: string };
  onTestFinished(async () => {
    await api.call('DELETE', `/subscriptions/${uuid}`);
  });
  return uuid;
}

/**
 * All that an inbox got, once a later publication of the administrator has come: inboxes get publications in order. `like` is what the inbox
 * asked for.
 */
export async function receivedBy(
  { server }: Teams,
  inbox: Inbox,
  like: object = {},
): Promise<readonly Loose[]> {
  const mark = `mark ${inbox.deliveries.length}`;
  await publish(server, { kind: 'Mark', ...like, mark });
  await eventually(`the delivery of ${mark}`, () =>
    inbox.deliveries.some(({ event }) => event.mark === mark),
  );
  return inbox.deliveries.map(({ event }) => event).filter((event) => event.mark === undefined);
}
