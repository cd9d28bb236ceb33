/** The routes of the observer but for the data sources (specification 4.5). */
import type { Routes } from '../../http/routes.ts';
import { type ChannelRoutesDeps, channelRoutes } from './channel-routes.ts';
import { logRoutes } from './log-routes.ts';
import { namespaceRoutes } from './namespace-routes.ts';
import { type PublicationRoutesDeps, publicationRoutes } from './publication-routes.ts';
import { runPageRoutes } from './run-page-routes.ts';
import { withPublishedEvents } from './shown-events.ts';
import { versionRoutes } from './version-routes.ts';
import { type ObserverDeps, workflowRoutes } from './workflow-routes.ts';

export function observerRoutes(
  deps: ObserverDeps & ChannelRoutesDeps & PublicationRoutesDeps,
): Routes {
  return (app) => {
    workflowRoutes(app, { ...deps, store: withPublishedEvents(deps.store) });
    logRoutes(app, deps);
    runPageRoutes(app, deps);
    channelRoutes(app, deps);
    namespaceRoutes(app);
    publicationRoutes(app, deps);
    versionRoutes(app);
  };
}
