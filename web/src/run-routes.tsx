/** The pages of one run: children of the route of the run. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { run } from './routes.tsx';

const summary = createRoute({
  getParentRoute: () => run,
  path: '/',
  component: lazyRouteComponent(() => import('./pages/run/summary.tsx'), 'SummaryPage'),
});

export const runPages = [summary] as const;
