/** The section `limits` of the configuration. `docs/limits.md` says what happens at each bound. */
import type { JSONSchema } from 'json-schema-to-ts';
import { LIMITS } from './limits.ts';

export const limitsSchema = {
  type: 'object',
  properties: {
    bodyBytes: {
      type: 'integer',
      minimum: 1024,
      default: LIMITS.bodyBytes,
      description: 'Largest request body that is held in memory.',
    },
    bodiesBytes: {
      type: 'integer',
      minimum: 1024,
      default: LIMITS.bodiesBytes,
      description:
        'What request bodies hold in memory in all, in bytes, apart from requests for runs; one more is refused with 503. Posts of agents may hold as much again, and wait for room.',
    },
    bodyBytesPerSecond: {
      type: 'integer',
      minimum: 0,
      default: LIMITS.bodyBytesPerSecond,
      description:
        'Bytes per second that a request body must bring, over 30 seconds, and over 40 where it is a file; a slower one is refused with 408.',
    },
    fileBytes: {
      type: 'integer',
      minimum: 1024,
      default: LIMITS.fileBytes,
      description: 'Largest attachment or resource file.',
    },
    runs: {
      type: 'integer',
      minimum: 1,
      default: LIMITS.runs,
      description: 'Runs that are not over, at most; one more is refused with 429.',
    },
    waitWhenBusySeconds: {
      type: 'number',
      exclusiveMinimum: 0,
      default: LIMITS.waitWhenBusySeconds,
      description:
        'How long an accepted run may wait while the server has more to do than it can: it then has as many runs as it ends in this time; further requests are held for four seconds, then refused with 503.',
    },
    runsWhenBusy: {
      type: 'integer',
      minimum: 1,
      default: LIMITS.runsWhenBusy,
      description: 'So many it accepts then in any case.',
    },
    startsAtOnce: {
      type: 'integer',
      minimum: 1,
      default: LIMITS.startsAtOnce,
      description:
        'Requests for runs that are worked on at one time; one more is refused with 503.',
    },
    startsBytes: {
      type: 'integer',
      minimum: 1024,
      default: LIMITS.startsBytes,
      description:
        'What the bodies of these hold in memory, in bytes that came; one more is refused with 503.',
    },
    runBytes: {
      type: 'integer',
      minimum: 1048576,
      default: LIMITS.runBytes,
      description: 'Events of one run, in bytes; a run that has more is canceled.',
    },
    liveRunsBytes: {
      type: 'integer',
      minimum: 1048576,
      description:
        'What runs that are not over take of the memory, in bytes; what new ones may take of it is three quarters, and one more is refused with 503. If absent, 9/32 of the heap.',
    },
    namespaceRunsBytes: {
      type: 'integer',
      minimum: 1048576,
      description:
        'The same of the runs of one namespace, of which one run may take a third; one more is refused with 429. If absent, two thirds of `limits.liveRunsBytes`.',
    },
    agents: {
      type: 'integer',
      minimum: 1,
      default: LIMITS.agents,
      description: 'Registered agents at most; one more is refused with 429.',
    },
    subscriptions: {
      type: 'integer',
      minimum: 1,
      default: LIMITS.subscriptions,
      description: 'Subscriptions with an inbox at most; one more is refused with 429.',
    },
    undelivered: {
      type: 'integer',
      minimum: 1,
      default: LIMITS.undelivered,
      description:
        'Publications that wait for one inbox at most; the oldest are given up, which the log says.',
    },
    undeliveredBytes: {
      type: 'integer',
      minimum: 1,
      default: LIMITS.undeliveredBytes,
      description:
        'Bytes of publications that wait for one inbox at most; it misses further ones until it takes some.',
    },
    undeliveredNamespaceBytes: {
      type: 'integer',
      minimum: 1,
      default: LIMITS.undeliveredNamespaceBytes,
      description:
        'The same for all inboxes that reach one namespace. Those that reach all namespaces share a bound of this size.',
    },
    followers: {
      type: 'integer',
      minimum: 1,
      default: LIMITS.followers,
      description: 'Answers that follow events or logs at one time; one more is refused with 429.',
    },
    connections: {
      type: 'integer',
      minimum: 10,
      default: LIMITS.connections,
      description:
        'Open connections at most. Of the last fifth, only agents get answers; others are refused with 503.',
    },
    subjectShare: {
      type: 'number',
      exclusiveMinimum: 0,
      maximum: 1,
      default: LIMITS.subjectShare,
      description:
        'The part of a limit that one subject may have, if its token is limited to namespaces; others have twice that. One more is refused with 429. 1 for an installation with one token.',
    },
    namespaceShare: {
      type: 'number',
      exclusiveMinimum: 0,
      maximum: 1,
      default: LIMITS.namespaceShare,
      description:
        'The part of a limit that all tokens of one namespace may have together; one more is refused with 429.',
    },
  },
  required: [
    'bodyBytes',
    'bodiesBytes',
    'bodyBytesPerSecond',
    'fileBytes',
    'runs',
    'waitWhenBusySeconds',
    'runsWhenBusy',
    'startsAtOnce',
    'startsBytes',
    'runBytes',
    'agents',
    'subscriptions',
    'undelivered',
    'undeliveredBytes',
    'undeliveredNamespaceBytes',
    'followers',
    'connections',
    'subjectShare',
    'namespaceShare',
  ],
  additionalProperties: false,
} as const satisfies JSONSchema;
