/** All routes as one tree. */
import type { QueryClient } from '@tanstack/react-query';
import { createRouter } from '@tanstack/react-router';
import { parseSearch, searchText } from './data/search.ts';
import { PageError } from './frame/page-error.tsx';
import * as routes from './routes.tsx';
import { compare, runPages } from './run-routes.tsx';

const tree = routes.root.addChildren([
  routes.login,
  routes.signedIn.addChildren([
    routes.now,
    routes.runs,
    routes.run.addChildren([...runPages]),
    compare,
    routes.tests,
    routes.test,
    routes.causes,
    routes.cause,
    routes.quarantine,
    routes.queue,
    routes.environments,
    routes.environment,
    routes.workflows,
    routes.workflow,
    routes.start,
    routes.settings,
    routes.about,
  ]),
]);

/** The router of the page. */
export const createPageRouter = (queries: QueryClient) =>
  createRouter({
    routeTree: tree,
    context: { queries },
    // The server fills in the address, with its path prefix.
    basepath: new URL(document.baseURI).pathname,
    parseSearch,
    stringifySearch: searchText,
    defaultErrorComponent: PageError,
    defaultPreload: 'intent',
    scrollRestoration: true,
  });

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createPageRouter>;
  }
}
