/**
 * Plays a run from its begin to its end. Its world answers late, out of order, repeatedly or never. The world also cancels the run, reads
 * the clock late, and crashes at any point. Everything follows from the seed.
 */
import {
  formatTimestamp,
  isRunEvent,
  type LoggedEvent,
  type RunEvent,
  STEP_SEQUENCE,
  type Timestamp,
  type WorkflowId,
} from '@tutti/manifests';
import { annotationEntries } from '../../facts/encode.ts';
import { extension } from '../../facts/extensions.ts';
import { nextDeadline } from '../deadlines.ts';
import { type Decision, decide, type RunInput } from '../decide.ts';
import { evolve } from '../evolve.ts';
import { emptyRun, isCanceled, isEnded, type Run } from '../run.ts';
import { fingerprint } from '../testing/fingerprint.ts';
import { filesOf } from './call-plan.ts';
import { Groups, takeover } from './groups.ts';
import { Invariants } from './invariants.ts';
import { must } from './must.ts';
import { noise } from './noise.ts';
import { expectedJobs, isExpectedToSucceed } from './oracle.ts';
import type { WorkflowPlan } from './plan.ts';
import { manifestOf } from './plan-manifest.ts';
import { Random } from './random.ts';
import { randomPlan } from './random-plan.ts';
import { type Letter, World } from './world.ts';

const BEGIN_MS = Date.UTC(2026, 0, 1);
/** Far more than a workflow of the largest size takes; a run that needs more does not end. */
const TURNS_MAX = 5000;
/** Delivered events that are kept, to be delivered again some day. */
const REPEATS_MAX = 20;

/** `lost`: the server crashed before it took the input, and nobody will give it again. */
type Outcome = Decision['outcome'] | 'lost';

/** Throws, with the seed, when something does not hold. */
export function simulate(seed: number): void {
  const simulation = new Simulation(seed);
  try {
    simulation.play();
  } catch (error) {
    const hint = `Repeat it with TUTTI_SIMULATION_SEED=${seed} TUTTI_SIMULATION_RUNS=1.`;
    throw new Error(`The simulated run ${seed} breaks a rule. ${hint}`, { cause: error });
  }
}

class Simulation {
  readonly #random: Random;
  /** In half of the runs time stands still and nobody interferes, so that the outcome is known beforehand. */
  readonly #disturbed: boolean;
  readonly #plan: WorkflowPlan;
  readonly #world: World;
  readonly #invariants: Invariants;
  readonly #groups: Groups;
  readonly #log: LoggedEvent[] = [];
  /** The log as it was read after the last crash. */
  readonly #stored: LoggedEvent[] = [];
  readonly #delivered: Letter[] = [];
  #run: Run = emptyRun;
  #nowMs = BEGIN_MS;
  #ids = 0;
  #turns = 0;

  constructor(seed: number) {
    this.#random = new Random(seed);
    this.#disturbed = this.#random.chance(0.5);
    this.#plan = randomPlan(this.#random, this.#disturbed);
    this.#invariants = new Invariants(this.#plan);
    this.#world = new World(this.#random, this.#plan);
    this.#groups = new Groups(this.#plan, this.#random);
  }

  play(): void {
    this.#input({ type: 'event', event: this.#begin() });
    while (!isEnded(this.#run)) this.#turn();
    while (this.#world.mail.length > 0) this.#deliverAny();
    this.#repeatAny();
    this.#refold();
    must(this.#run.workers.size === 0, 'A worker never leaves.');
    must(this.#world.areAllChannelsFree, 'A channel is not free after the run.');
    if (!this.#disturbed) this.#compareWithOracle();
  }

  #begin(): RunEvent {
    return {
      apiVersion: 'example.org/v1beta1',
      kind: 'Workflow',
      ...manifestOf(this.#plan),
      metadata: {
        name: 'simulated',
        workflow_id: 'workflow' as WorkflowId,
        namespace: 'default',
        creationTimestamp: this.#timestamp(),
        annotations: {
          ...annotationEntries({ files: filesOf(this.#plan) }),
          ...annotationEntries(
            this.#plan.input === null ? {} : { inputs: { i: this.#plan.input } },
          ),
        },
      },
    };
  }

  #timestamp(): Timestamp {
    return formatTimestamp(this.#nowMs);
  }

  #turn(): void {
    this.#turns += 1;
    must(this.#turns <= TURNS_MAX, `The run did not end in ${TURNS_MAX} turns.`);
    const random = this.#random;
    if (random.chance(0.04)) this.#crash();
    if (random.chance(0.05)) this.#repeatAny();
    if (random.chance(0.05)) this.#makeNoise();
    if (this.#disturbed) this.#disturb();
    this.#groups.update(this.#run);
    const input = random.chance(0.5) ? this.#groups.take() : undefined;
    if (input?.type === 'superseded') {
      this.#supersede(input);
    } else if (input !== undefined) {
      this.#input(input);
    } else if (this.#world.mail.length > 0) {
      this.#deliverAny();
    } else if (!this.#groups.isBusy && !isEnded(this.#run)) {
      this.#waitForDeadline();
    }
  }

  #disturb(): void {
    const random = this.#random;
    if (random.chance(0.4)) this.#nowMs += random.below(120_000);
    if (random.chance(0.01)) this.#input({ type: 'event', event: this.#cancellation() });
    if (random.chance(0.02)) this.#takeGroupOver();
    if (random.chance(0.02)) this.#world.loseAgent();
    const deadlineMs = nextDeadline(this.#run);
    // A deadline may be looked at late, or too early.
    if (
      (deadlineMs !== null && deadlineMs <= this.#nowMs && random.chance(0.5)) ||
      random.chance(0.02)
    ) {
      this.#lookAtClock();
    }
  }

  #takeGroupOver(): void {
    const input = takeover(this.#run, this.#random);
    if (input !== null) this.#supersede(input);
  }

  /** Repeated, as after a restart, the takeover counts once. */
  #supersede(input: Extract<RunInput, { type: 'superseded' }>): void {
    must(this.#disturbed, 'A group is taken over where nobody should want it.');
    this.#input(input);
    must(givesWay(this.#run, input.job), `"${input.job}" does not give way.`);
    const known = this.#log.length;
    this.#input(input);
    must(this.#log.length === known, 'A group is taken over twice.');
  }

  #lookAtClock(): void {
    const deadlineMs = nextDeadline(this.#run);
    const isDue = deadlineMs !== null && deadlineMs <= this.#nowMs;
    const known = this.#log.length;
    this.#input({ type: 'deadline', nowMs: this.#nowMs });
    const sentence = isDue ? 'A deadline passes unheeded.' : 'A deadline is met before its time.';
    must(this.#log.length > known === isDue, sentence);
  }

  #cancellation(): RunEvent {
    return {
      apiVersion: 'example.org/v1alpha1',
      kind: 'WorkflowCancellation',
      metadata: this.#aboutRun(),
      details: { reason: 'enough' },
    };
  }

  #aboutRun() {
    return {
      name: 'simulated',
      workflow_id: 'workflow' as WorkflowId,
      namespace: 'default',
      creationTimestamp: this.#timestamp(),
    };
  }

  /** No event is under way, so only time can bring the run on. */
  #waitForDeadline(): void {
    const deadlineMs = nextDeadline(this.#run);
    if (deadlineMs === null) throw new Error('The run waits for nothing, for ever.');
    must(this.#disturbed, 'The run waits though everybody answered.');
    this.#nowMs = Math.max(this.#nowMs, Math.ceil(deadlineMs));
    this.#lookAtClock();
  }

  #deliverAny(): void {
    const letter = this.#random.take(this.#world.mail);
    if (letter === undefined) return;
    if (this.#isLost(letter)) {
      this.#world.gone(letter);
      return;
    }
    const outcome = this.#deliver(letter);
    if (outcome === 'refused') this.#world.gone(letter);
    const { kind } = letter.event;
    // A notification or a published file counts each time it comes.
    const isAnswer = kind !== 'Notification' && kind !== 'WorkflowResult';
    const mayBeRepeated = outcome !== 'lost' && isAnswer;
    if (mayBeRepeated && this.#delivered.length < REPEATS_MAX) this.#delivered.push(letter);
  }

  /** Results are sent until they are stored; offers lapse, and answers of providers may never come. */
  #isLost({ event, channel }: Letter): boolean {
    if (channel !== null) return this.#random.chance(0.05);
    const isAnswer = event.kind === 'ProviderResult' || event.kind === 'GeneratorResult';
    const mayBeLost = this.#disturbed && isAnswer;
    return mayBeLost && this.#random.chance(0.05);
  }

  #deliver(letter: Letter): Outcome {
    // The clock of the server counts.
    const metadata = { ...letter.event.metadata, creationTimestamp: this.#timestamp() };
    const event = { ...letter.event, metadata } as RunEvent;
    return this.#input({ type: 'event', event });
  }

  /** Delivers an event again; it must not count twice. */
  #repeatAny(): void {
    const letter = this.#random.take(this.#delivered);
    if (letter === undefined || letter.event.kind === 'ExecutionError') return;
    const outcome = this.#input({ type: 'event', event: letter.event });
    must(outcome !== 'accepted', `A repeated ${letter.event.kind} is accepted.`);
  }

  #makeNoise(): void {
    const { refused, ignored, actual } = noise(this.#run, this.#aboutRun(), this.#random);
    for (const event of refused) {
      const outcome = this.#input({ type: 'event', event });
      must(outcome === 'refused', `A ${event.kind} that fits nothing is accepted.`);
    }
    const known = this.#log.length;
    for (const input of ignored) this.#input(input);
    must(this.#log.length === known, 'What comes too late is told.');
    const before = this.#run;
    for (const event of actual) this.#input({ type: 'event', event });
    must(isSame(this.#run, before), 'What is of no concern to the run changes it.');
  }

  #input(input: RunInput): Outcome {
    const firstId = this.#ids;
    const decision = this.#decide(input);
    if (this.#random.chance(0.02)) {
      // The crash comes before the commit: nothing of the decision is left.
      this.#ids = firstId;
      this.#crash();
      return diesInCrash(input) ? 'lost' : this.#input(input);
    }
    if (decision.outcome === 'refused') return 'refused';
    const event = input.type === 'event' && isRunEvent(input.event) ? input.event : null;
    const events = decision.events.filter(isRunEvent);
    this.#invariants.check(this.#run, events, decision.run, event);
    this.#run = decision.run;
    this.#log.push(...decision.events);
    for (const each of events) this.#world.hear(each);
    return 'accepted';
  }

  #decide(input: RunInput): Decision {
    return decide(this.#run, input, {
      at: this.#timestamp(),
      newId: () => `id-${++this.#ids}`,
      downloadTags: this.#plan.downloadTags,
    });
  }

  #crash(): void {
    this.#refold();
    this.#world.restart(this.#run, this.#log.filter(isRunEvent));
    this.#groups.restart();
  }

  /** The run is what its log says, also after the log was written and read again. */
  #refold(): void {
    for (const event of this.#log.slice(this.#stored.length)) this.#stored.push(throughJson(event));
    const folded = this.#stored.reduce(evolve, emptyRun);
    must(isSame(folded, this.#run), 'The log folds to another run.');
    this.#run = folded;
  }

  #compareWithOracle(): void {
    const expected = expectedJobs(this.#plan);
    const keys = [...this.#run.jobs.keys()].sort().join();
    must(
      keys === [...expected.keys()].sort().join(),
      `There should be no other jobs than ${keys}.`,
    );
    for (const [name, { result, output, scripts }] of expected) {
      const job = this.#run.jobs.get(name);
      must(job?.result === result, `Job ${name} should end ${result}, ends ${job?.result}.`);
      const given = job.outputs.o ?? '';
      must(given === output, `Job ${name} should give "${output}", gives "${given}".`);
      const { jobId } = job;
      const ran = (jobId === null ? [] : (this.#world.scripts.get(jobId) ?? [])).join('; ');
      must(
        ran === scripts.join('; '),
        `Job ${name} should run "${scripts.join('; ')}", runs "${ran}".`,
      );
    }
    const { outputOf } = this.#plan;
    const wanted = outputOf === null ? '' : (expected.get(outputOf)?.output ?? '');
    const actual = outputOfRun(this.#log);
    must(actual === wanted, `The run should give "${wanted}", gives "${actual}".`);
    const phase = isExpectedToSucceed(expected) ? 'DONE' : 'FAILED';
    must(this.#run.phase === phase, `The run should end ${phase}, ends ${this.#run.phase}.`);
  }
}

/** True for inputs of handlers and readers in the server; all others repeat theirs until it is stored. */
function diesInCrash(input: RunInput): boolean {
  if (input.type !== 'event') return false;
  const { kind, metadata } = input.event;
  const isOffer = kind === 'ExecutionResult' && metadata.step_sequence_id === STEP_SEQUENCE.request;
  return isOffer || kind === 'Notification';
}

/** Null is the run itself. A job that ends by itself does so in its own way. */
function givesWay(run: Run, key: string | null): boolean {
  const job = key === null ? undefined : run.jobs.get(key);
  if (run.cancellation !== null || isEnded(run)) return true;
  const isEnding = job?.phase === 'RELEASING' || job?.phase === 'COMPLETED';
  return isEnding || (job !== undefined && isCanceled(job));
}

function outputOfRun(log: readonly LoggedEvent[]): string {
  const isEnd = ({ kind }: LoggedEvent) =>
    kind === 'WorkflowCompleted' || kind === 'WorkflowCanceled';
  return extension.text(extension.record(log.find(isEnd), 'outputs'), 'o') ?? '';
}

const isSame = (a: Run, b: Run): boolean => a === b || fingerprint(a) === fingerprint(b);

const throughJson = (event: LoggedEvent): LoggedEvent => JSON.parse(JSON.stringify(event));
