/**
 * The addresses of the pages. Where things are:
 * - `routes.tsx` has the routes, and `router.tsx` puts them together.
 * - Pages of one run are children of `run` below. Add a route to `run-routes.tsx`, and its page to `pages/run/`.
 * - A page gets at its route by `getRouteApi`, as `pages/run/summary.tsx` does.
 * - `frame/` has what is around every page; `parts/` shared parts; `look/tokens.css` the values of the themes.
 * - `data/api.ts` sends requests, `data/session.ts` says what the token allows, `data/live.ts` has the stream of changes.
 * - Search parameters are texts, as in the address: `searchOf` keeps those with a name.
 */
import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, Outlet, redirect } from '@tanstack/react-router';
import { isUnauthorized } from './data/queries.ts';
import { momentOf, viewQuery } from './data/run-view.ts';
import { runsQuery } from './data/runs.ts';
import { searchOf } from './data/search.ts';
import { sessionQuery } from './data/session.ts';
import { Frame } from './frame/frame.tsx';
import { BareError, NotFound } from './frame/page-error.tsx';
import { lazyPart } from './parts/lazy-part.ts';

/** Things of the page that routes use. */
export interface RouterContext {
  readonly queries: QueryClient;
}

/** Loaders ask early: while the code of a page comes, or while a link to it is under the pointer. Later, the page asks itself. */
export const early = {
  shouldReload: ({ cause }: { readonly cause: 'preload' | 'enter' | 'stay' }) => cause !== 'stay',
} as const;

export const root = createRootRouteWithContext<RouterContext>()({
  component: Outlet,
  errorComponent: BareError,
  notFoundComponent: NotFound,
});

export const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: searchOf('to'),
  errorComponent: BareError,
  component: lazyPart(() => import('./pages/login/login.tsx'), 'LoginPage'),
});

/** Pages for people who are signed in. */
export const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  component: Frame,
  errorComponent: BareError,
  beforeLoad: async ({ context: { queries }, location }) => {
    try {
      await queries.ensureQueryData(sessionQuery);
    } catch (error) {
      if (!isUnauthorized(error)) throw error;
      throw redirect({ to: '/login', search: { to: location.href } });
    }
  },
});

export const now = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  component: lazyPart(() => import('./pages/now/now.tsx'), 'NowPage'),
});

const runsSearch = searchOf('status', 'q', 'name', 'namespace', 'label', 'since', 'sort');

export const runs = createRoute({
  getParentRoute: () => signedIn,
  path: '/runs',
  validateSearch: runsSearch,
  ...early,
  loader: ({ context: { queries }, location }) =>
    void queries.prefetchQuery(runsQuery(runsSearch(location.search))),
  component: lazyPart(() => import('./pages/runs/runs.tsx'), 'RunsPage'),
});

const runSearch = searchOf('at');

/** One run. Its pages are children; `at` is the moment that all of them show. */
export const run = createRoute({
  getParentRoute: () => signedIn,
  path: '/runs/$runId',
  validateSearch: runSearch,
  ...early,
  loader: ({ context: { queries }, params: { runId }, location }) =>
    void queries.prefetchQuery(viewQuery(runId, momentOf(runSearch(location.search).at))),
  component: lazyPart(() => import('./pages/run/run.tsx'), 'RunPage'),
});

export const tests = createRoute({
  getParentRoute: () => signedIn,
  path: '/tests',
  validateSearch: searchOf('state', 'q', 'project', 'namespace', 'sort'),
  component: lazyPart(() => import('./pages/tests/tests.tsx'), 'TestsPage'),
});

export const test = createRoute({
  getParentRoute: () => signedIn,
  path: '/tests/$testId',
  validateSearch: searchOf('variant', 'outcome', 'branch', 'version'),
  component: lazyPart(() => import('./pages/tests/test.tsx'), 'TestPage'),
});

export const causes = createRoute({
  getParentRoute: () => signedIn,
  path: '/causes',
  validateSearch: searchOf('q', 'project', 'namespace'),
  component: lazyPart(() => import('./pages/causes/causes.tsx'), 'CausesPage'),
});

export const cause = createRoute({
  getParentRoute: () => signedIn,
  path: '/causes/$causeId',
  component: lazyPart(() => import('./pages/causes/cause.tsx'), 'CausePage'),
});

export const quarantine = createRoute({
  getParentRoute: () => signedIn,
  path: '/quarantine',
  validateSearch: searchOf('project', 'namespace'),
  component: lazyPart(() => import('./pages/quarantine/quarantine.tsx'), 'QuarantinePage'),
});

export const queue = createRoute({
  getParentRoute: () => signedIn,
  path: '/queue',
  validateSearch: searchOf('namespace'),
  component: lazyPart(() => import('./pages/queue/queue.tsx'), 'QueuePage'),
});

export const environments = createRoute({
  getParentRoute: () => signedIn,
  path: '/environments',
  validateSearch: searchOf('namespace', 'tag'),
  component: lazyPart(() => import('./pages/environments/environments.tsx'), 'EnvironmentsPage'),
});

export const environment = createRoute({
  getParentRoute: () => signedIn,
  path: '/environments/$agentId',
  component: lazyPart(() => import('./pages/environments/environment.tsx'), 'EnvironmentPage'),
});

export const workflows = createRoute({
  getParentRoute: () => signedIn,
  path: '/workflows',
  component: lazyPart(() => import('./pages/workflows/workflows.tsx'), 'WorkflowsPage'),
});

export const workflow = createRoute({
  getParentRoute: () => signedIn,
  path: '/workflows/$namespace/$name',
  component: lazyPart(() => import('./pages/workflows/workflow.tsx'), 'WorkflowPage'),
});

export const start = createRoute({
  getParentRoute: () => signedIn,
  path: '/start',
  validateSearch: searchOf('from'),
  component: lazyPart(() => import('./pages/start/start.tsx'), 'StartPage'),
});

export const settings = createRoute({
  getParentRoute: () => signedIn,
  path: '/settings',
  component: lazyPart(() => import('./pages/settings/settings.tsx'), 'SettingsPage'),
});

export const about = createRoute({
  getParentRoute: () => signedIn,
  path: '/about',
  component: lazyPart(() => import('./pages/about/about.tsx'), 'AboutPage'),
});
