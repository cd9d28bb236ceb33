/** Parts of the page that are loaded when they are needed. */
import { lazyRouteComponent } from '@tanstack/react-router';
import { SERVER } from '../data/api.ts';

const RETRY_MS = 1_000;

/** A component of a module of its own. Where the server has a newer page than this one, the page is loaded anew. */
export const lazyPart: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(() => load().catch(() => serverAnswers().then(load)), name);

/** Resolves when the server is there, also behind a proxy that answers for it meanwhile. */
async function serverAnswers(): Promise<void> {
  const isThere = () =>
    fetch(`${SERVER}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isThere())) await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
}
