/** Routes of lists for pages and the command line. Their answers are loaded with the first request. */
import type { Routes } from '../../../http/routes.ts';
import type { ChangesDeps } from './change-stream.ts';
import {
  CHANGE_PARAMETERS,
  changesOperation,
  LIST_RUNS,
  RUN_PARAMETERS,
  runsOperation,
} from './list-words.ts';
import type { ListStore } from './run-page.ts';

export interface ListDeps extends ChangesDeps {
  readonly store: ListStore & ChangesDeps['store'];
  /** Other processes change the runs, too, and this one does not learn of it. */
  readonly isLocal: boolean;
}

export function listRoutes(deps: ListDeps): Routes {
  return (app) => {
    app.get(
      '/runs',
      {
        config: { access: LIST_RUNS, anywhere: true },
        schema: {
          summary: 'List runs with what became of them',
          tags: ['observer'],
          parameters: RUN_PARAMETERS,
          operation: runsOperation,
        },
      },
      async (_request, reply) => (await import('./run-list.ts')).listRuns(deps.store, reply),
    );
    if (deps.isLocal) return;
    app.get(
      '/changes',
      {
        // Topics need more rights, each of its own.
        config: { access: LIST_RUNS },
        schema: {
          summary: 'Which things changed',
          tags: ['observer'],
          parameters: CHANGE_PARAMETERS,
          operation: changesOperation,
        },
      },
      async (_request, reply) => (await import('./change-stream.ts')).sendChanges(deps, reply),
    );
  };
}
