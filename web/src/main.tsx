/** Starts the page. */
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueries } from './data/queries.ts';
import { applyTheme } from './look/theme.ts';
import './look/base.css';
import { createPageRouter } from './router.tsx';

applyTheme();
const queries = createQueries(() => {
  queries.removeQueries({ queryKey: ['session'] });
  void router.invalidate();
});
const router = createPageRouter(queries);
// The parts of this address come while the server is asked for the session.
for (const route of router.getMatchedRoutes(router.latestLocation.pathname)[0])
  void router.loadRouteChunk(route);
const place = document.getElementById('page');
if (place === null) throw new Error('The page has no place for its content.');
const root = createRoot(place);
// Until there is something to show, the bar of the document stays. A module that waits itself would keep the parts of the page waiting.
void router.load().then(() =>
  root.render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  ),
);
