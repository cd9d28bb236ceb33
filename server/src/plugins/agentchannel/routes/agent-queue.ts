/** The job of an agent and the jobs that wait for it, for `GET /agents/{agent_id}/queue`. */
import type { JobId, WorkflowId } from '@tutti/manifests';
import { createRedactor, type Job, jobById, type Run } from '@tutti/workflow';
import { type Access, isAllowed } from '../../../auth/access.ts';
import { type Agent, channelIdOf } from '../jobs/agent.ts';
import type { AgentChannelContext } from '../jobs/context.ts';
import { LIMITS } from '../jobs/limits.ts';
import { mayKnowJob } from './agent-access.ts';
import { agentManifest } from './agent-manifest.ts';

const LIST = { resource: 'workflows', verb: 'list' } as const;

/** The `details` of the answer. They name only jobs whose runs the reader may list. */
export function agentQueue(context: AgentChannelContext, agent: Agent, access: Access): object {
  const showsJob = mayKnowJob(access, agent);
  const sees = (namespace: string) => isAllowed(access, LIST, namespace);
  const query = { limit: LIMITS.queueItems, sees };
  const queue = context.pool.queueOf(channelIdOf(agent), query);
  return {
    agent: agentManifest(agent, { ...context, showsJob }),
    work: showsJob ? workOf(context, agent) : null,
    items: queue.served.flatMap((request) => waitingJob(context, request, {})),
    count: queue.servedCount,
    others: queue.unserved.flatMap(({ request, missingTags }) =>
      waitingJob(context, request, {
        missingTags,
        isOfOtherNamespace: missingTags.length === 0,
      }),
    ),
    othersCount: queue.unservedCount,
  };
}

/** The job that runs there; null when there is none. */
function workOf({ runs, apiGroup }: AgentChannelContext, { session }: Agent): object | null {
  if (session === null) return null;
  const found = findJob(runs.current(session.workflowId), session.jobId);
  if (found === null) return null;
  const command = session.command?.event.metadata ?? null;
  // The step as the workflow has it, even where a function expanded it.
  const step = command === null ? {} : { step_id: command.step_origin[0] ?? command.step_id };
  const status = { phase: 'RUNNING', startTime: found.job.startedAt };
  return jobManifest(apiGroup, found, { metadata: step, status });
}

/** Null if the run ended meanwhile. */
function waitingJob(
  { runs, apiGroup }: AgentChannelContext,
  { workflowId, jobId }: { readonly workflowId: WorkflowId; readonly jobId: JobId },
  verdict: object,
): readonly object[] {
  const found = findJob(runs.current(workflowId), jobId);
  if (found === null) return [];
  const status = { phase: 'PENDING', requestTime: found.job.requestedAt, ...verdict };
  return [jobManifest(apiGroup, found, { metadata: {}, status })];
}

interface FoundJob {
  readonly run: Run;
  readonly job: Job;
}

function findJob(run: Run | null, jobId: JobId): FoundJob | null {
  const job = run === null ? null : jobById(run, jobId);
  return run === null || job === null ? null : { run, job };
}

/** A job in the form of data sources (specification 2.7), with the run's masked texts redacted. */
function jobManifest(
  apiGroup: string,
  { run, job }: FoundJob,
  { metadata, status }: { readonly metadata: object; readonly status: object },
): object {
  const { workflowId, namespace, masks } = run;
  return createRedactor(masks).document({
    apiVersion: `${apiGroup}/v1alpha1`,
    kind: 'Job',
    metadata: { name: job.name, id: job.jobId, namespace, workflow_id: workflowId, ...metadata },
    spec: { 'runs-on': job.tags },
    status,
  });
}
