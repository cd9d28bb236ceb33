/** The section `limits` of the configuration. `docs/reference/limits.md` says what happens at each bound. */
import { integer, positive, section } from './config-nodes.ts';
import { LIMITS } from './limits.ts';

const KIB = 1024;
const MIB = 1024 * 1024;

const memory = (description: string) => ({ type: 'integer', minimum: MIB, description }) as const;

const share = (value: number, description: string) =>
  ({ type: 'number', exclusiveMinimum: 0, maximum: 1, default: value, description }) as const;

export const limitsSchema = section({
  bodyBytes: integer(KIB, LIMITS.bodyBytes, 'Largest request body that is held in memory.'),
  bodiesBytes: integer(
    KIB,
    LIMITS.bodiesBytes,
    'What request bodies hold in memory in all, in bytes, apart from requests for runs; one more is refused with 503. Posts of agents may hold as much again, and wait for room.',
  ),
  bodyBytesPerSecond: integer(
    0,
    LIMITS.bodyBytesPerSecond,
    'Bytes per second that a request body must bring, over 30 seconds, and over 40 where it is a file; a slower one is refused with 408.',
  ),
  fileBytes: integer(KIB, LIMITS.fileBytes, 'Largest attachment or resource file.'),
  runs: integer(1, LIMITS.runs, 'Runs that are not over, at most; one more is refused with 429.'),
  waitWhenBusySeconds: positive(
    LIMITS.waitWhenBusySeconds,
    'How long an accepted run may wait while the server has more to do than it can: it then has as many runs as it ends in this time; further requests are held for four seconds, then refused with 503.',
  ),
  runsWhenBusy: integer(1, LIMITS.runsWhenBusy, 'So many it accepts then in any case.'),
  startsAtOnce: integer(
    1,
    LIMITS.startsAtOnce,
    'Requests for runs that are worked on at one time; one more is refused with 503.',
  ),
  startsBytes: integer(
    KIB,
    LIMITS.startsBytes,
    'What the bodies of these hold in memory, in bytes that came; one more is refused with 503.',
  ),
  runBytes: integer(
    MIB,
    LIMITS.runBytes,
    'Events of one run, in bytes; a run that has more is canceled.',
  ),
  liveRunsBytes: memory(
    'What runs that are not over take of the memory, in bytes; what new ones may take of it is three quarters, and one more is refused with 503. If absent, 9/32 of the heap.',
  ),
  namespaceRunsBytes: memory(
    'The same of the runs of one namespace, of which one run may take a third; one more is refused with 429. If absent, two thirds of `limits.liveRunsBytes`.',
  ),
  agents: integer(1, LIMITS.agents, 'Registered agents at most; one more is refused with 429.'),
  subscriptions: integer(
    1,
    LIMITS.subscriptions,
    'Subscriptions with an inbox at most; one more is refused with 429.',
  ),
  undelivered: integer(
    1,
    LIMITS.undelivered,
    'Publications that wait for one inbox at most; the oldest are given up, which the log says.',
  ),
  undeliveredBytes: integer(
    1,
    LIMITS.undeliveredBytes,
    'Bytes of publications that wait for one inbox at most; it misses further ones until it takes some.',
  ),
  undeliveredNamespaceBytes: integer(
    1,
    LIMITS.undeliveredNamespaceBytes,
    'The same for all inboxes that reach one namespace. Those that reach all namespaces share a bound of this size.',
  ),
  followers: integer(
    1,
    LIMITS.followers,
    'Answers that follow events or logs at one time; one more is refused with 429.',
  ),
  connections: integer(
    10,
    LIMITS.connections,
    'Open connections at most. Of the last fifth, only agents get answers; others are refused with 503.',
  ),
  subjectShare: share(
    LIMITS.subjectShare,
    'The part of a limit that one subject may have, if its token is limited to namespaces; others have twice that. One more is refused with 429. 1 for an installation with one token.',
  ),
  namespaceShare: share(
    LIMITS.namespaceShare,
    'The part of a limit that all tokens of one namespace may have together; one more is refused with 429.',
  ),
});
