/** Actions on earlier runs: cancel, rerun, delete. Only our servers have the last two. */
import type { OrchestratorError } from '@tutti/manifests';
import { parseStartedWorkflow } from './documents.ts';
import { checkStarted } from './ignored-parameter.ts';
import { type StartPatience, startPatiently } from './start-workflow.ts';
import type { Transport } from './transport.ts';

/** The part of an earlier run that runs again; without any entry, all of it. */
export interface RerunWorkflow {
  /** Runs the jobs again that failed or did not run. */
  readonly failed?: boolean | undefined;
  /** Names of jobs: these run again, and the jobs they need. */
  readonly jobs?: readonly string[] | undefined;
}

export interface Cancel {
  readonly reason?: string | undefined;
  readonly source?: string | undefined;
  readonly dryRun?: boolean;
}

interface Call {
  readonly signal?: AbortSignal | undefined;
}

interface RerunCall extends Call {
  /** Called when the server has enough to do, before the pause until the next try. */
  readonly onRefused?: (refusal: OrchestratorError, pauseMs: number) => void;
}

export interface EarlierRuns {
  cancel(workflowId: string, call?: Call & Cancel): Promise<void>;
  /** Resolves with the id of the new run, which has all that the earlier one was started with. Is as patient as a start. */
  rerunWorkflow(workflowId: string, rerun: RerunWorkflow, call?: RerunCall): Promise<string>;
  /** Removes a run that is over, with all that is kept of it. */
  forgetWorkflow(workflowId: string, call?: Call): Promise<void>;
}

type Patience = Pick<StartPatience, 'sleep' | 'random' | 'now'>;

export function earlierRuns(deps: Patience & { readonly transport: Transport }): EarlierRuns {
  const { transport } = deps;
  const pathOf = (workflowId: string, rest: string) =>
    `/workflows/${encodeURIComponent(workflowId)}${rest}`;
  return {
    cancel: async (workflowId, { reason, source, dryRun, signal } = {}) => {
      const query = { reason, source, dryRun: dryRun === true ? 'true' : undefined };
      await transport.json({ method: 'DELETE', path: pathOf(workflowId, ''), query, signal });
    },
    rerunWorkflow: (workflowId, { failed = false, jobs }, call) => {
      const path = pathOf(workflowId, '/rerun');
      const query = { failed: failed ? 'true' : undefined, jobs: jobs?.join(',') };
      const request = { method: 'POST', path, query, signal: call?.signal } as const;
      const start = async () => {
        const { response, body } = await transport.json(request);
        const started = parseStartedWorkflow(response.url, body);
        checkStarted(response, started, query);
        return started;
      };
      return startPatiently(start, { ...deps, ...call });
    },
    forgetWorkflow: async (workflowId, call) => {
      await transport.json({ ...call, method: 'DELETE', path: pathOf(workflowId, '/history') });
    },
  };
}
