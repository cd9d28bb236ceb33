/** The pages of one run, and the comparison of two. */
import { createRoute } from '@tanstack/react-router';
import { searchOf } from './data/search.ts';
import { TEST_ROWS, testCasesQuery } from './data/test-cases.ts';
import { lazyPart } from './parts/lazy-part.ts';
import { early, run, signedIn } from './routes.tsx';

const summary = createRoute({
  getParentRoute: () => run,
  path: '/',
  component: lazyPart(() => import('./pages/run/summary.tsx'), 'SummaryPage'),
});

const jobs = createRoute({
  getParentRoute: () => run,
  path: '/jobs',
  validateSearch: searchOf('view', 'job'),
  component: lazyPart(() => import('./pages/run/jobs.tsx'), 'JobsPage'),
});

const log = createRoute({
  getParentRoute: () => run,
  path: '/log',
  validateSearch: searchOf('job', 'step', 'q', 'regex', 'line'),
  component: lazyPart(() => import('./pages/run/log.tsx'), 'LogPage'),
});

const testsSearch = searchOf('outcome', 'job', 'q', 'test');

const tests = createRoute({
  getParentRoute: () => run,
  path: '/tests',
  validateSearch: testsSearch,
  ...early,
  loader: ({ context: { queries }, params: { runId }, location }) => {
    const { outcome, job, q } = testsSearch(location.search);
    const filter = { outcome, job, q, page: 1, perPage: TEST_ROWS };
    void queries.prefetchQuery(testCasesQuery(runId, filter));
  },
  component: lazyPart(() => import('./pages/run/tests.tsx'), 'TestsPage'),
});

const files = createRoute({
  getParentRoute: () => run,
  path: '/files',
  validateSearch: searchOf('file', 'q'),
  component: lazyPart(() => import('./pages/run/files.tsx'), 'FilesPage'),
});

const gates = createRoute({
  getParentRoute: () => run,
  path: '/gates',
  validateSearch: searchOf('mode'),
  component: lazyPart(() => import('./pages/run/gates.tsx'), 'GatesPage'),
});

const events = createRoute({
  getParentRoute: () => run,
  path: '/events',
  validateSearch: searchOf('kind', 'q', 'event'),
  component: lazyPart(() => import('./pages/run/events.tsx'), 'EventsPage'),
});

/** Two runs side by side. */
export const compare = createRoute({
  getParentRoute: () => signedIn,
  path: '/compare',
  validateSearch: searchOf('a', 'b'),
  component: lazyPart(() => import('./pages/compare/compare.tsx'), 'ComparePage'),
});

export const runPages = [summary, jobs, log, tests, files, gates, events] as const;
