/** Every request of the server goes through one policy. */
import { expect, test } from 'vitest';
import { pathsBelow, readRepositoryFile } from './source-files.ts';

/** Code that makes a connection, or looks up the address of a name. */
const MAKES_REQUESTS =
  /\bhttps?\.(?:request|get|Agent)\b|\bfrom 'node:(?:dns|http2|dgram)|\btls\.connect|\bnet\.connect|\{[^}]*\bconnect\b[^}]*\} from 'node:(?:net|tls)'|request: open/;

const CALLS_FETCH = /(?<![.#\w])fetch\(/;
const HAS_OWN_FETCH = /\bfetch\b\s*[:=]|\bfunction fetch\b/;

/** Files that may, and what brings the policy into them. */
const ALLOWED: Readonly<Record<string, RegExp>> = {
  'server/src/bus/inbox-client.ts': /policy\.wayTo\(/,
  'server/src/bus/inbox-listener.ts': /policy\.wayTo\(/,
  // Other replicas are at addresses of the operator.
  'server/src/cluster/replica-client.ts': /parseReplicaAddress\(address\)/,
  // It resolves the host that it listens on.
  'server/src/http/listen.ts': /lookup\(host/,
  'server/src/runtime/outgoing-policy.ts': /class OutgoingPolicy/,
  'server/src/runtime/outgoing-request.ts': /policy\.wayTo\(/,
};

test('only those who ask the policy of outgoing requests make any', () => {
  const sources = pathsBelow('server/src', /(?<!test)\.ts$/).filter(
    (path) => !/\.test\.ts$|\/testing[./]|self-signed/.test(path),
  );
  const made = sources.filter((path) => makesRequests(code(readRepositoryFile(path))));
  expect(made.toSorted()).toEqual(Object.keys(ALLOWED).toSorted());
  for (const [path, policy] of Object.entries(ALLOWED)) {
    expect(readRepositoryFile(path)).toMatch(policy);
  }
});

const makesRequests = (source: string): boolean =>
  MAKES_REQUESTS.test(source) || (CALLS_FETCH.test(source) && !HAS_OWN_FETCH.test(source));

/** Without comments and texts of documentation. */
const code = (source: string): string => source.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
