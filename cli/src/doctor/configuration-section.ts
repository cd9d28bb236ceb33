/** Shows the effective configuration, and the source of each value. */

import { textOf } from '@tutti/manifests/values';
import { configPlace } from '../client-config/config-place.ts';
import { readConfigParts } from '../client-config/read-config.ts';
import type { Connection, ConnectionOptions } from '../connection/connection.ts';
import type { Io } from '../terminal/io.ts';
import { rightsPoint } from './rights-point.ts';
import { ok, type Point, type Section, skipped } from './section.ts';

/** Throws as reading the configuration does. */
export function configurationSection(
  options: ConnectionOptions,
  connection: Connection,
  io: Io,
): Section {
  const place = configPlace(options, io.env);
  if (!place.isThere) {
    const found = skipped(`There is no configuration ${place.file}`);
    return { name: 'Configuration', points: [found, ...sourcePoints(connection)] };
  }
  const { contexts, users, current } = readConfigParts(place);
  const whose = place.isForeign ? ', which is that of another client' : '';
  const named = `${contexts.length} ${contexts.length === 1 ? 'context' : 'contexts'}, current: ${current ?? 'none'}`;
  const hasTokens = users.some(({ entries }) => textOf(entries.token) !== null);
  const tokenFile = connection.context?.tokenFile ?? null;
  const secrets = [...(hasTokens ? [place.file] : []), ...(tokenFile === null ? [] : [tokenFile])];
  return {
    name: 'Configuration',
    points: [
      ok(`${place.file}${whose} (${named})`),
      ...sourcePoints(connection),
      ...secrets.flatMap((file) => rightsPoint(file, 'a token')),
    ],
  };
}

function sourcePoints({ url, source, tokenSource, token, context }: Connection): readonly Point[] {
  const from = source === 'the context' ? `the context "${context?.name}"` : source;
  const namespace = context?.namespace ?? null;
  return [
    ok(`server ${url}, from ${from}`),
    tokenPoint(tokenSource, token),
    ...(namespace === null
      ? []
      : [ok(`namespace ${namespace}, from the context "${context?.name}"`)]),
  ];
}

/** Another section reports problems with the token. */
function tokenPoint(source: string | null, read: () => string | null): Point {
  const isThere = source !== null && existsIn(read);
  return isThere ? ok(`token from ${source}`) : skipped('no token is named');
}

function existsIn(read: () => string | null): boolean {
  try {
    return read() !== null;
  } catch {
    return true;
  }
}
