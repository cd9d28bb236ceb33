/**
 * Random workflows that the toolkit accepts. Our server accepts each one, or refuses it for a reason in tests/conformance/differences.md.
 * TUTTI_PUBLISHED_DOCUMENTS (300) makes more of them, and prints the classes; TUTTI_PUBLISHED_SEED makes the same ones again.
 */
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { type Answer, bodyOf, detailsOf } from '../../support/api.ts';
import { createRandom } from '../../support/random.ts';
import { type ServerChild, Workbench } from '../../support/workbench.ts';
import { featuresOf } from '../feature.ts';
import { PUBLISHED_AREA } from './area.ts';
import { PublishedProgram } from './published-program.ts';
import { createDocuments } from './random-document.ts';
import { documentedRefusals, problemsIn } from './refusal-classes.ts';

const WANTED = process.env.TUTTI_PUBLISHED_DOCUMENTS;
const COUNT = Number(WANTED ?? 300);
const SEED = Number(process.env.TUTTI_PUBLISHED_SEED ?? Date.now() % 1_000_000);
const AT_ONCE = 8;
/** About half of them are accepted. If hardly any were, the others would say little about warnings. */
const ACCEPTED_MIN = COUNT / 4;

let bench: Workbench;
let server: ServerChild;
const feature = featuresOf(PUBLISHED_AREA);

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server();
});

afterAll(() => bench.close());

describe(`seed ${SEED}`, () => {
  feature(
    'accepts random workflows, which are accepted or refused for a documented reason',
    async (run) => {
      const toolkit = new PublishedProgram(run, bench.path('toolkit'));
      const documents = await acceptedDocuments(toolkit);
      const outcome = new Outcome();
      await Promise.all(Array.from({ length: AT_ONCE }, () => send(documents, outcome)));
      if (WANTED !== undefined) process.stdout.write(`${outcome.text}\n`);
      expect(outcome.unexplained).toEqual([]);
      expect(outcome.accepted).toBeGreaterThan(ACCEPTED_MIN);
    },
  );
});

/** As many as are asked for; those that the toolkit refuses are left out. */
async function acceptedDocuments(toolkit: PublishedProgram): Promise<unknown[]> {
  const make = createDocuments(await toolkit.schema(), createRandom(SEED));
  const documents: unknown[] = [];
  while (documents.length < COUNT) {
    const made = Array.from({ length: COUNT }, make);
    const problems = await toolkit.problems(made);
    documents.push(...made.filter((_, index) => problems[index] === null));
  }
  return documents.slice(0, COUNT);
}

async function send(documents: unknown[], outcome: Outcome): Promise<void> {
  for (let body = documents.pop(); body !== undefined; body = documents.pop()) {
    outcome.take(await server.call('POST', '/workflows', { body, query: 'dryRun' }), body);
  }
}

class Outcome {
  accepted = 0;
  readonly #classes = documentedRefusals();
  readonly #counts = new Map<string, number>();
  readonly #unexplained = new Map<string, unknown>();
  #warned = 0;

  /** A refusal with several problems counts for each of their classes. */
  take(answer: Answer, document: unknown): void {
    const { code, message } = bodyOf(answer);
    const { error = message, warnings } = detailsOf(answer);
    if (code === 201) {
      this.accepted += 1;
      if (warnings !== undefined) this.#warned += 1;
      return;
    }
    const problems = code === 422 ? problemsIn(String(error)) : [answer.text];
    for (const name of new Set(problems.map((problem) => this.#classOf(problem, document)))) {
      this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    }
  }

  /** The problem itself where the page has no class for it. */
  #classOf(problem: string, document: unknown): string {
    const found = this.#classes.find(({ pattern }) => pattern.test(problem));
    const isMore = /^\.\.\. and \d+ more problems?$/.test(problem);
    if (found === undefined && !isMore) this.#unexplained.set(problem, document);
    return found?.message ?? problem;
  }

  get unexplained(): readonly unknown[] {
    return [...this.#unexplained];
  }

  get text(): string {
    const counts = [...this.#counts].sort(([, left], [, right]) => right - left);
    const lines = counts.map(([name, count]) => `${String(count).padStart(6)} ${name}`);
    const head = `Seed ${SEED}: of ${COUNT} workflows ${this.accepted} were accepted, ${this.#warned} of them with warnings.`;
    return [head, ...lines].join('\n');
  }
}
