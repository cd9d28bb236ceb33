/** The faults of servers and agents, with their times. The plan depends on the seed only, so it can be printed and repeated. */
import { createRandom, type Random } from '../../support/random.ts';

/** Places of our own agents; after them come those of the existing ones. */
export const OWN_SLOTS = 5;
export const AGENT_SLOTS = 7;
export const INBOXES = 4;

/** `now`, or the next confirmation of a run, of a publication, or of a post of our agent. Confirmed data has to exist after that. */
export type Instant = 'now' | Confirmation;
export type Confirmation = 'start' | 'publication' | 'post';

/** `slot` is the place of an agent, `null` all of them; times are milliseconds. */
export type Action =
  | { readonly kind: 'kill-server'; readonly backMs: number; readonly at: Instant }
  /** Killed, then again at these times after each new start. */
  | { readonly kind: 'kill-starting-server'; readonly afterMs: readonly number[] }
  | { readonly kind: 'stop-server' }
  | { readonly kind: 'pause-server'; readonly ms: number; readonly isKilled: boolean }
  | { readonly kind: 'kill-agent'; readonly slot: number; readonly backMs: number }
  | { readonly kind: 'kill-starting-agent'; readonly slot: number; readonly afterMs: number }
  | { readonly kind: 'stop-agent'; readonly slot: number }
  | { readonly kind: 'pause-agent'; readonly slot: number; readonly ms: number }
  | { readonly kind: 'kill-all'; readonly backMs: number }
  | { readonly kind: 'refuse'; readonly slot: number | null; readonly ms: number }
  | { readonly kind: 'cut'; readonly slot: number | null }
  /** Cuts the connection of each of the next answers after so many bytes. */
  | {
      readonly kind: 'cut-answers';
      readonly slot: number;
      readonly count: number;
      readonly bytes: number;
    }
  | { readonly kind: 'stall'; readonly slot: number; readonly ms: number }
  /** The next posts of the agent are sent a second time at once. */
  | { readonly kind: 'double-posts'; readonly slot: number; readonly count: number }
  /** Posts that the agent sent earlier are sent again; `back` of them from the newest one. */
  | {
      readonly kind: 'late-posts';
      readonly slot: number;
      readonly count: number;
      readonly back: number;
    }
  | { readonly kind: 'slow-disk'; readonly ms: number; readonly syncMs: number }
  | { readonly kind: 'full-disk'; readonly ms: number; readonly leftKib: number }
  | { readonly kind: 'failing-disk'; readonly syncs: number }
  /** The difference of the time of day from the true one. The server is killed and finds it at its start, or it is set while it runs. */
  | { readonly kind: 'clock-jump'; readonly offsetMs: number; readonly isKilled: boolean }
  | {
      readonly kind: 'inbox';
      readonly inbox: number;
      readonly mode: 'error' | 'unavailable' | 'hang' | 'close';
      readonly ms: number;
    }
  /** `DELETE` of one of the runs that are not known to be over: the one at this share of them. */
  | { readonly kind: 'cancel'; readonly share: number };

/** A fault of several replicas, or of things that they share. */
export type ReplicaAction =
  | { readonly kind: 'kill-two'; readonly backMs: number }
  | { readonly kind: 'rolling-restart' }
  /** The active replica is stopped, and replicas are killed that long after. */
  | { readonly kind: 'kill-leaving'; readonly whom: HandOverVictim; readonly afterMs: number }
  /** The database is lost, and its synchronous standby takes over. */
  | { readonly kind: 'fail-over' }
  /** Cuts the next connection of the active replica that sends this: before the database has it, or before the answer. */
  | { readonly kind: 'cut-database'; readonly at: DatabaseMoment; readonly isAnswer: boolean }
  | { readonly kind: 'bucket'; readonly fault: BucketFault; readonly ms: number }
  /** Connections of clients, or between replicas, are cut before the answer. */
  | {
      readonly kind: 'cut-between';
      readonly whom: 'clients' | 'replicas';
      readonly count: number;
      readonly bytes: number;
      readonly ms: number;
    }
  /** Connections between one replica and the others are refused, or silent. */
  | {
      readonly kind: 'part-replica';
      readonly share: number;
      readonly isSilent: boolean;
      readonly ms: number;
    };

/** The victims of a kill at a hand-over: the active replica, the one that gets the runs, or both. */
export type HandOverVictim = 'leaving' | 'next' | 'both';
export type DatabaseMoment = 'batch' | 'commit' | 'heartbeat';
export type BucketFault = 'refused' | 'stalled' | 'half' | 'lost';

export type ActionKind = (Action | ReplicaAction)['kind'];

export interface Fault {
  readonly atMs: number;
  readonly action: Action | ReplicaAction;
}

/** Pauses between faults, and lulls in which things come to their end. */
const GAP_MS = { min: 40, max: 1_050 } as const;
const LULL_MS = { min: 1_500, max: 5_000 } as const;
const LULL_CHANCE = 0.03;
/** Nothing is done to what has not started yet. */
const FIRST_MS = 800;

const slotOf = (random: Random): number => random.between(0, AGENT_SLOTS - 1);
/** Posts of existing agents do not name their command. So a repeated one would count for the command that runs then. */
const ownSlotOf = (random: Random): number => random.between(0, OWN_SLOTS - 1);
const slotOrAll = (random: Random): number | null => (random.chance(0.25) ? null : slotOf(random));
const SHORT_OUTAGE_MS = 1_500;
/** Mostly short, at times longer than an agent may be away. */
const outage = (random: Random, longMs: number): number =>
  random.chance(0.8)
    ? random.between(50, SHORT_OUTAGE_MS)
    : random.between(SHORT_OUTAGE_MS, longMs);

interface Choice {
  readonly weight: number;
  readonly make: (random: Random) => Action | ReplicaAction;
}

/** Replicas allow an agent a longer absence than one server does. */
const REPLICA_OUTAGE_FACTOR = 3;

/** An outage that is longer than the absence of an agent which one server allows also is for replicas. */
const lengthened = <Some extends Action | ReplicaAction>(action: Some): Some =>
  (action.kind === 'pause-agent' || action.kind === 'refuse' || action.kind === 'stall') &&
  action.ms > SHORT_OUTAGE_MS
    ? { ...action, ms: action.ms * REPLICA_OUTAGE_FACTOR }
    : action;

const MINUTE_MS = 60_000;
const INSTANTS = ['now', 'now', 'now', 'start', 'publication', 'post'] as const;

const CHOICES: readonly Choice[] = [
  {
    weight: 9,
    make: (r) => ({ kind: 'kill-server', backMs: r.between(0, 400), at: r.pick(INSTANTS) }),
  },
  {
    weight: 4,
    make: (r) => ({
      kind: 'kill-starting-server',
      afterMs: Array.from({ length: r.between(1, 2) }, () => r.between(20, 700)),
    }),
  },
  { weight: 2, make: () => ({ kind: 'stop-server' }) },
  {
    weight: 5,
    make: (r) => ({ kind: 'pause-server', ms: outage(r, 8_000), isKilled: r.chance(0.3) }),
  },
  {
    weight: 21,
    make: (r) => ({ kind: 'kill-agent', slot: slotOf(r), backMs: r.between(0, 1_000) }),
  },
  {
    weight: 5,
    make: (r) => ({ kind: 'kill-starting-agent', slot: slotOf(r), afterMs: r.between(20, 500) }),
  },
  { weight: 2, make: (r) => ({ kind: 'stop-agent', slot: slotOf(r) }) },
  { weight: 6, make: (r) => ({ kind: 'pause-agent', slot: slotOf(r), ms: outage(r, 9_000) }) },
  { weight: 2, make: (r) => ({ kind: 'kill-all', backMs: r.between(0, 1_000) }) },
  { weight: 6, make: (r) => ({ kind: 'refuse', slot: slotOrAll(r), ms: outage(r, 8_000) }) },
  { weight: 8, make: (r) => ({ kind: 'cut', slot: slotOrAll(r) }) },
  {
    weight: 6,
    make: (r) => ({
      kind: 'cut-answers',
      slot: slotOf(r),
      count: r.between(1, 5),
      bytes: r.chance(0.5) ? 0 : r.between(1, 400),
    }),
  },
  { weight: 4, make: (r) => ({ kind: 'stall', slot: slotOf(r), ms: outage(r, 6_000) }) },
  {
    weight: 5,
    make: (r) => ({ kind: 'double-posts', slot: ownSlotOf(r), count: r.between(1, 10) }),
  },
  {
    weight: 5,
    make: (r) => ({
      kind: 'late-posts',
      slot: ownSlotOf(r),
      count: r.between(1, 6),
      back: r.between(1, 60),
    }),
  },
  {
    weight: 3,
    make: (r) => ({ kind: 'slow-disk', ms: r.between(300, 4_000), syncMs: r.between(10, 500) }),
  },
  {
    weight: 3,
    make: (r) => ({ kind: 'full-disk', ms: r.between(200, 3_000), leftKib: r.between(0, 300) }),
  },
  { weight: 2, make: (r) => ({ kind: 'failing-disk', syncs: r.between(1, 20) }) },
  {
    weight: 3,
    make: (r) => ({
      kind: 'clock-jump',
      offsetMs: r.between(-20 * MINUTE_MS, 20 * MINUTE_MS),
      isKilled: r.chance(0.5),
    }),
  },
  {
    weight: 6,
    make: (r) => ({
      kind: 'inbox',
      inbox: r.between(0, INBOXES - 1),
      mode: r.pick(['error', 'unavailable', 'hang', 'close'] as const),
      ms: r.between(500, 12_000),
    }),
  },
  { weight: 8, make: (r) => ({ kind: 'cancel', share: r.next() }) },
];

const REPLICA_CHOICES: readonly Choice[] = [
  { weight: 2, make: (r) => ({ kind: 'kill-two', backMs: r.between(0, 400) }) },
  { weight: 1, make: () => ({ kind: 'rolling-restart' }) },
  {
    weight: 6,
    make: (r) => ({
      kind: 'kill-leaving',
      whom: r.pick(['leaving', 'next', 'both'] as const),
      afterMs: r.between(0, 600),
    }),
  },
  { weight: 3, make: () => ({ kind: 'fail-over' }) },
  {
    weight: 6,
    make: (r) => ({
      kind: 'cut-database',
      at: r.pick(['batch', 'batch', 'commit', 'heartbeat'] as const),
      isAnswer: r.chance(0.5),
    }),
  },
  {
    weight: 6,
    make: (r) => ({
      kind: 'bucket',
      fault: r.pick(['refused', 'stalled', 'half', 'lost'] as const),
      ms: outage(r, 6_000),
    }),
  },
  {
    weight: 6,
    make: (r) => ({
      kind: 'cut-between',
      whom: r.pick(['clients', 'replicas'] as const),
      count: r.between(1, 5),
      bytes: r.chance(0.5) ? 0 : r.between(1, 400),
      ms: r.between(500, 3_000),
    }),
  },
  {
    weight: 4,
    make: (r) => ({
      kind: 'part-replica',
      share: r.next(),
      isSilent: r.chance(0.5),
      ms: outage(r, 8_000),
    }),
  },
];

function chooseAction(random: Random, choices: readonly Choice[]): Action | ReplicaAction {
  let left = random.next() * choices.reduce((sum, { weight }) => sum + weight, 0);
  for (const { weight, make } of choices) {
    left -= weight;
    if (left < 0) return make(random);
  }
  throw new Error('The weights do not add up.');
}

/**
 * The faults of a run of this length, in the order of their times. A longer plan of a seed begins like a shorter one. Several replicas have
 * more kinds of faults than one server.
 */
export function planFaults(seed: number, lengthMs: number, replicas = 1): readonly Fault[] {
  const random = createRandom(seed);
  const choices = replicas > 1 ? [...CHOICES, ...REPLICA_CHOICES] : CHOICES;
  const faults: Fault[] = [];
  for (let atMs = FIRST_MS; atMs < lengthMs; ) {
    const action = chooseAction(random, choices);
    faults.push({ atMs, action: replicas > 1 ? lengthened(action) : action });
    const { min, max } = random.chance(LULL_CHANCE) ? LULL_MS : GAP_MS;
    atMs += random.between(min, max);
  }
  return faults;
}

/** One line for each fault. */
export function planText(faults: readonly Fault[]): string {
  return faults
    .map(({ atMs, action }) => {
      const { kind, ...how } = action;
      const facts = Object.entries(how).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
      return [`${String(atMs).padStart(7)} ms`, kind, ...facts].join(' ');
    })
    .join('\n');
}
