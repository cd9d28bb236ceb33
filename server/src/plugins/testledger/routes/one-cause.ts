/** `GET /causes/{cause_id}`: a cause with a sample, and where it failed. */
import { isUuid, OrchestratorError, status } from '@tutti/manifests';
import type { FastifyReply } from 'fastify';
import { requireAccess } from '../../../auth/access.ts';
import { enterReading } from '../../../http/answer-memory.ts';
import { sendStatus } from '../../../http/reply.ts';
import type { CauseRun, CauseVariant } from '../../../store/causes.ts';
import { causeItem } from './cause-items.ts';
import type { CausePath } from './cause-words.ts';
import type { HistoryStore } from './history-store.ts';
import { GET_TESTS } from './words.ts';

export async function showCause(
  store: HistoryStore,
  reply: FastifyReply<CausePath>,
): Promise<FastifyReply> {
  const { request } = reply;
  await enterReading(request, reply);
  const { cause_id: id } = request.params;
  const cause = isUuid(id) ? await store.cause(id.toLowerCase()) : null;
  if (cause === null) throw new OrchestratorError('NotFound', `Cause ${id} not found.`);
  requireAccess(request.access, GET_TESTS, cause.namespace);
  const variants = await store.causeVariants(cause.id);
  const runs = await store.causeRuns(cause.id);
  const item = causeItem(cause);
  const details = {
    ...item,
    status: {
      ...item.status,
      sample: cause.sample,
      tests: variants.map(testOf),
      runs: runs.map(runOf),
      versions: sumsOf(runs, ({ version }) => ({ version })),
      environments: sumsOf(runs, placeOf),
    },
  };
  return sendStatus(reply, status('OK', cause.title, details));
}

const testOf = ({ id, testId, suite, name, job, function: uses, failures }: CauseVariant) => ({
  ...{ test_id: testId, variant_id: id, suite, name, job },
  uses: uses === '' ? null : uses,
  failures,
});

const placeOf = ({ place }: CauseRun) => ({
  agent: place?.agent ?? null,
  tags: place?.tags ?? [],
});

const runOf = (run: CauseRun) => ({
  ...{ workflow_id: run.workflowId, version: run.version, branch: run.branch, at: run.createdAt },
  ...placeOf(run),
  failures: run.failures,
});

/** Failures of runs that have these parts in common, the most first. */
function sumsOf<Parts extends object>(
  runs: readonly CauseRun[],
  partsOf: (run: CauseRun) => Parts,
): readonly (Parts & { readonly failures: number })[] {
  const sums = new Map<string, Parts & { readonly failures: number }>();
  for (const run of runs) {
    const parts = partsOf(run);
    const key = JSON.stringify(parts);
    sums.set(key, { ...parts, failures: (sums.get(key)?.failures ?? 0) + run.failures });
  }
  return [...sums.values()].sort((left, right) => right.failures - left.failures);
}
