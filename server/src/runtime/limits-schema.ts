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
    'Bytes of request bodies in memory, without those of start requests. Another body is refused with 503. Posts of agents get as much again, and wait for room. Set at least four times `limits.bodyBytes`; else one namespace can use all of it.',
  ),
  bodyBytesPerSecond: integer(
    0,
    LIMITS.bodyBytesPerSecond,
    'Bytes per second that a request body must bring, over 30 seconds; for files, over 40. A slower one is refused with 408.',
  ),
  fileBytes: integer(KIB, LIMITS.fileBytes, 'Largest attachment or resource file.'),
  runs: integer(1, LIMITS.runs, 'Unfinished runs. Another one is refused with 429.'),
  waitWhenBusySeconds: positive(
    LIMITS.waitWhenBusySeconds,
    'How long an accepted run may take to end while the server is busy. The server has as many runs as it ends in this time. Further requests are held for four seconds, then refused with 503.',
  ),
  runsWhenBusy: integer(
    1,
    LIMITS.runsWhenBusy,
    'Unfinished runs that a busy server accepts in any case.',
  ),
  startsAtOnce: integer(
    1,
    LIMITS.startsAtOnce,
    'Start requests under way. Another one is refused with 503.',
  ),
  startsBytes: integer(
    KIB,
    LIMITS.startsBytes,
    'Received bytes of the bodies of start requests in memory. Another body is refused with 503.',
  ),
  runBytes: integer(
    MIB,
    LIMITS.runBytes,
    'Events of one run, in bytes; a run that has more is canceled.',
  ),
  liveRunsBytes: memory(
    'Bytes of unfinished runs in memory. New runs get three quarters of it; another one is refused with 503. If absent, 9/32 of the heap.',
  ),
  namespaceRunsBytes: memory(
    'Bytes of unfinished runs of one namespace. One run may take a third. Another one is refused with 429. If absent, two thirds of `limits.liveRunsBytes`.',
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
    'Publications that wait for one inbox. Beyond it, the oldest are dropped, and the log says so.',
  ),
  undeliveredBytes: integer(
    1,
    LIMITS.undeliveredBytes,
    'Bytes of publications that wait for one inbox. Beyond it, new ones are dropped.',
  ),
  undeliveredNamespaceBytes: integer(
    1,
    LIMITS.undeliveredNamespaceBytes,
    'Bytes that wait for all inboxes of one namespace. Inboxes of all namespaces share a bound of this size.',
  ),
  followers: integer(
    1,
    LIMITS.followers,
    'Answers that follow events or logs at one time; one more is refused with 429.',
  ),
  connections: integer(
    10,
    LIMITS.connections,
    'Open connections. The last fifth is for agents; others are refused with 503.',
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
