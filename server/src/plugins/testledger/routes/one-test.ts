/** `GET /tests/{test_id}`: a test, and the evidence for the judgement on each of its variants. */
import { formatTimestamp, status } from '@tutti/manifests';
import {
  type Begin,
  type Contradiction,
  type Judgement,
  Ledger,
  percentilesOf,
} from '@tutti/test-history';
import type { FastifyReply } from 'fastify';
import { enterReading } from '../../../http/answer-memory.ts';
import { sendStatus } from '../../../http/reply.ts';
import type { StoredVariant, TestedRun } from '../../../store/test-history.ts';
import type { HistoryStore } from './history-store.ts';
import { changeItem, quarantineItem } from './quarantine-items.ts';
import { queryVariant, testInPath } from './test-in-path.ts';
import { figuresOf, keptMs, suiteAndName, testItem, versionWarnings } from './test-items.ts';
import type { TestPath } from './words.ts';

const VARIANTS_MAX = 100;
const CHANGES_MAX = 50;

export async function showTest(
  store: HistoryStore,
  reply: FastifyReply<TestPath>,
  nowMs: number,
): Promise<FastifyReply> {
  const { request } = reply;
  await enterReading(request, reply);
  const test = await testInPath(store, request);
  const wanted = queryVariant(request);
  const newest = { testId: test.id, offset: 0, limit: CHANGES_MAX };
  const journal = await store.testJournal(newest);
  const held = await store.testJournal({ ...newest, inForceMs: nowMs });
  const [worst] = await store.testVariants({ testId: test.id, limit: 1 });
  const chosen = { testId: test.id, limit: VARIANTS_MAX };
  const variants = await store.testVariants(
    wanted === null ? chosen : { ...chosen, variantId: wanted },
  );
  const judged = variants.map(judgedVariant);
  const runs = await evidenceRuns(store, judged);
  const { kind, metadata, spec, status: listed } = testItem(test, nowMs);
  const warnings = versionWarnings([test]);
  const details = {
    kind,
    metadata,
    spec: { ...spec, variants: judged.map(({ variant }) => placeOf(variant)) },
    status: {
      ...listed,
      worstVariant: worst?.id ?? null,
      variants: judged.map((each) => variantStatus(each, runs)),
    },
    quarantines: held.map((each) => quarantineItem(each, nowMs)),
    journal: journal.map(changeItem),
    ...(warnings.length > 0 ? { warnings } : {}),
  };
  return sendStatus(reply, status('OK', suiteAndName(test), details));
}

interface JudgedVariant {
  readonly variant: StoredVariant;
  /** Null where no run counted for its state. */
  readonly ledger: Ledger | null;
  readonly judgement: Judgement | null;
}

function judgedVariant(variant: StoredVariant): JudgedVariant {
  const ledger = variant.ledger === null ? null : Ledger.read(variant.ledger);
  return { variant, ledger, judgement: ledger?.judgement ?? null };
}

type Runs = ReadonlyMap<number, TestedRun>;

/** The runs that judgements name. */
async function evidenceRuns(store: HistoryStore, judged: readonly JudgedVariant[]): Promise<Runs> {
  const numbers = new Set<number>();
  for (const { judgement } of judged) {
    const begins = [judgement?.since, judgement?.brokenSince];
    for (const begin of begins) if (begin) numbers.add(begin.run).add(begin.version);
    for (const { runs, version } of judgement?.contradictions ?? []) {
      for (const run of [...runs, version]) numbers.add(run);
    }
  }
  const found = await store.testedRuns([...numbers]);
  return new Map(found.map((run) => [run.run, run]));
}

const placeOf = ({ id, job, function: uses }: StoredVariant) => ({
  id,
  job,
  uses: uses === '' ? null : uses,
});

function variantStatus({ variant, ledger, judgement }: JudgedVariant, runs: Runs) {
  return {
    id: variant.id,
    ...figuresOf(variant),
    since: beginOf(judgement?.since ?? null, runs),
    brokenSince: beginOf(judgement?.brokenSince ?? null, runs),
    probability: judgement?.flaky ?? null,
    brokenProbability: judgement?.broken ?? null,
    contradictions: (judgement?.contradictions ?? [])
      .map((each) => contradictionOf(each, runs))
      .toReversed(),
    strip: ledger?.letters ?? '',
    duration: durationsOf(ledger),
    passesInRow: judgement?.passesInRow ?? null,
    passesToRecover: judgement?.state === 'flaky' ? judgement.passesToRecover : null,
  };
}

function durationsOf(ledger: Ledger | null) {
  const percentiles = percentilesOf(ledger?.durations ?? []);
  if (percentiles === null) return null;
  const { p50, p90, p95 } = percentiles;
  return { p50: keptMs(p50), p90: keptMs(p90), p95: keptMs(p95) };
}

/** Runs that are gone have no id. */
const beginOf = (begin: Begin | null, runs: Runs) =>
  begin === null
    ? null
    : {
        workflow_id: runs.get(begin.run)?.workflowId ?? null,
        version: versionOf([begin.run, begin.version], runs),
        at: formatTimestamp(begin.atMs),
      };

function contradictionOf({ version, runs: numbers, atMs }: Contradiction, runs: Runs) {
  const ids = numbers.flatMap((run) => runs.get(run)?.workflowId ?? []);
  return {
    version: versionOf([...numbers, version], runs),
    workflow_ids: [...new Set(ids)],
    at: formatTimestamp(atMs),
  };
}

/** All of these runs have one version. Some of them may be gone. */
const versionOf = (numbers: readonly number[], runs: Runs): string | null =>
  numbers.map((run) => runs.get(run)?.version ?? null).find((version) => version !== null) ?? null;
