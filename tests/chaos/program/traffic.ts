/** The clients during the storm: they start runs, cancel some, publish, and look. In the end all answers must prove true. */
import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, type Api, bodyOf, detailsOf } from '../../support/api.ts';
import type { Random } from '../../support/random.ts';
import { allEvents, isOver, statusOf } from '../../support/runs.ts';
import type { Happenings } from './happenings.ts';
import type { Moments } from './moments.ts';
import { requestOf, specOf } from './run-spec.ts';

/** Between two starts of runs, in milliseconds: about what the agents can do between their deaths. */
const STARTS_MS = { min: 150, max: 1_100 } as const;
const PUBLICATIONS_MS = { min: 50, max: 500 } as const;
const LOOKS_MS = { min: 50, max: 400 } as const;
/** Runs that are not over at one time: more would only wait. */
const OPEN_RUNS_MAX = 30;
/** A request that is answered later than this is given up; its outcome is unknown. */
const PATIENCE_MS = 20_000;
const NO_ROOM = ['The disk of the server is full.', 'the server has no space left for it.'];
export const CHAOS_EVENT = 'ChaosEvent';

export interface TrafficOptions {
  readonly seed: number;
  readonly random: Random;
  readonly api: Api;
  readonly ledger: string;
  readonly happenings: Happenings;
  readonly moments: Moments;
}

export class Traffic {
  /** Ids of runs whose start was answered with 201, with their numbers. */
  readonly accepted = new Map<string, number>();
  /** When each run was asked for, by its number. */
  readonly askedAtMs = new Map<number, number>();
  /** Runs that somebody asked to cancel, whatever came back. */
  readonly cancelAsked = new Set<string>();
  /** Runs that were not over after the cancellation was answered with 200. */
  readonly mustBeCanceled = new Set<string>();
  /** Numbers of publications that were answered with 200, in the order of their sending. */
  readonly published: number[] = [];
  /** The longest list of events that was shown of a run, as JSON texts. */
  readonly shown = new Map<string, readonly string[]>();
  /** Final statuses as clients have seen them, by run. */
  readonly shownEnds = new Map<string, string>();
  readonly #options: TrafficOptions;
  readonly #end = new AbortController();
  #started = 0;
  #loops: readonly Promise<void>[] = [];

  constructor(options: TrafficOptions) {
    this.#options = options;
  }

  /** Number of runs that were started; runs are numbered from 0. */
  get started(): number {
    return this.#started;
  }

  /** Number of publications that were sent; publications are numbered from 0. */
  get publications(): number {
    return this.#options.happenings.countOf('publications');
  }

  begin(): void {
    this.#loops = [
      this.#loop(STARTS_MS, () => this.#start()),
      this.#loop(PUBLICATIONS_MS, () => this.#publish()),
      this.#loop(LOOKS_MS, () => this.#look()),
    ];
  }

  async end(): Promise<void> {
    this.#end.abort();
    await Promise.all(this.#loops);
  }

  /** One of the runs that are not known to be over; `share` says which. */
  async cancel(share: number): Promise<void> {
    const open = this.#open();
    const id = open[Math.floor(share * open.length)];
    if (id === undefined) return;
    this.cancelAsked.add(id);
    const { happenings } = this.#options;
    happenings.note(`DELETE /workflows/${id}`);
    const answer = await this.#call('DELETE', `/workflows/${id}`);
    if (answer?.code !== 200) return;
    happenings.count('cancellations');
    const status = await this.#call('GET', `/workflows/${id}/status`);
    if (status?.code === 200 && !isOver(String(detailsOf(status).status))) {
      this.mustBeCanceled.add(id);
    }
  }

  #open(): readonly string[] {
    return [...this.accepted.keys()].filter((id) => !this.shownEnds.has(id));
  }

  async #loop(gap: { readonly min: number; readonly max: number }, act: () => Promise<void>) {
    const { random } = this.#options;
    while (!this.#end.signal.aborted) {
      await act();
      await pause(random.between(gap.min, gap.max), undefined, {
        signal: this.#end.signal,
      }).catch(() => undefined);
    }
  }

  async #start(): Promise<void> {
    if (this.#open().length >= OPEN_RUNS_MAX) return;
    const { seed, ledger, happenings, moments } = this.#options;
    const index = this.#started;
    this.#started += 1;
    const body = requestOf(specOf(seed, index), ledger);
    const sentMs = Date.now();
    this.askedAtMs.set(index, sentMs);
    const answer = await this.#call('POST', '/workflows', body);
    happenings.count('starts of runs');
    if (answer === null) happenings.count('starts of runs without an answer');
    else if (answer.code === 201) {
      moments.now('start');
      this.accepted.set(String(detailsOf(answer).workflow_id), index);
    } else this.#refused('A start of a run', answer, sentMs);
  }

  async #publish(): Promise<void> {
    const { happenings, moments } = this.#options;
    const number = happenings.countOf('publications');
    happenings.count('publications');
    const body = {
      apiVersion: 'example.org/v1',
      kind: CHAOS_EVENT,
      metadata: { name: `publication ${number}` },
      number,
    };
    const sentMs = Date.now();
    const answer = await this.#call('POST', '/publications', body);
    if (answer === null) happenings.count('publications without an answer');
    else if (answer.code === 200) {
      moments.now('publication');
      this.published.push(number);
    } else this.#refused('A publication', answer, sentMs);
  }

  /** The disk may refuse, and who has too much to do, who then says when to ask again. Nothing else may. */
  #refused(what: string, answer: Answer, sentMs: number): void {
    const { happenings } = this.#options;
    const isFull = NO_ROOM.some((text) => answer.text.includes(text));
    const isFailing = happenings.failingDisks.some(
      ({ fromMs, toMs }) => fromMs <= Date.now() && toMs >= sentMs,
    );
    if (answer.code >= 500 && isFull) happenings.count('refused because of the full disk');
    else if (answer.code === 500 && isFailing) {
      happenings.count('refused because of the failing disk');
    } else if (answer.code === 503 && answer.headers.has('retry-after')) {
      happenings.count('refused for a while');
    } else happenings.violation(`${what} was refused: ${answer.code} ${answer.text.slice(0, 500)}`);
  }

  /** Looks at a run, and checks that events shown before have not changed. */
  async #look(): Promise<void> {
    const { random, api, happenings } = this.#options;
    const open = this.#open();
    if (open.length === 0) return;
    await this.#nameAgents();
    const id = random.pick(open);
    try {
      const events = (await allEvents(this.#patient(api), id)).map((event) =>
        JSON.stringify(event),
      );
      const status = await statusOf(this.#patient(api), id);
      happenings.count('looks at runs');
      this.#compare(id, events);
      if (isOver(status)) this.shownEnds.set(id, status);
    } catch {
      // The server is away; pages may also stop in the middle then.
    }
  }

  /** An agent that the server did not know any more has a new id. */
  async #nameAgents(): Promise<void> {
    const answer = await this.#call('GET', '/agents');
    if (answer?.code !== 200) return;
    const { items } = bodyOf(answer);
    if (!Array.isArray(items)) return;
    for (const { metadata } of items) {
      const { happenings } = this.#options;
      const record = happenings.agentRegisteredAs(metadata.name);
      if (record !== null) happenings.agentsById.set(metadata.agent_id, record);
    }
  }

  #compare(id: string, events: readonly string[]): void {
    const before = this.shown.get(id) ?? [];
    const changed = before.findIndex((event, place) => events[place] !== event);
    if (changed !== -1) {
      this.#options.happenings.violation(
        `${id}: event ${changed} of it was shown as ${before[changed]} and is ${events[changed]}`,
      );
    }
    if (events.length > before.length) this.shown.set(id, events);
  }

  /** Null when there was no answer. */
  #call(method: string, path: string, body?: unknown): Promise<Answer | null> {
    const request = body === undefined ? {} : { body };
    return this.#patient(this.#options.api)
      .call(method, path, request)
      .catch(() => null);
  }

  #patient(api: Api): Api {
    return {
      ...api,
      call: (method, path, request) =>
        api.call(method, path, { ...request, signal: AbortSignal.timeout(PATIENCE_MS) }),
    };
  }
}
