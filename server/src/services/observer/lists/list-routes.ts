/** Routes of lists for pages and the command line. Their answers are loaded with the first request. */
import type { Routes } from '../../../http/routes.ts';
import { LIST_RUNS, RUN_PARAMETERS, runsOperation } from './list-words.ts';
import type { ListStore } from './run-page.ts';

export function listRoutes({ store }: { readonly store: ListStore }): Routes {
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
      async (_request, reply) => (await import('./run-list.ts')).listRuns(store, reply),
    );
  };
}
