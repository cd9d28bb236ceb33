/** Answers of the server, as the pages keep them. */

import { QueryCache, QueryClient } from '@tanstack/react-query';
import { isOrchestratorError } from '@tutti/manifests';
import { watchAnswers } from './live.ts';

const RETRIES_MAX = 2;

/** `onSignedOut` is called when the server no longer knows the session. */
export function createQueries(onSignedOut: () => void): QueryClient {
  const queryCache = new QueryCache({
    // The route asks for the session itself, and leads to the page for signing in.
    onError: (error, { queryKey: [kind] }) => {
      if (isUnauthorized(error) && kind !== 'session') onSignedOut();
    },
  });
  watchAnswers(queryCache, isOrchestratorError);
  return new QueryClient({
    queryCache,
    defaultOptions: {
      mutations: { networkMode: 'always' },
      queries: {
        // A refusal stays a refusal; a server that does not answer may be starting.
        retry: (failures, error) => !isOrchestratorError(error) && failures < RETRIES_MAX,
        staleTime: 2_000,
        // The server is often on this machine, whatever the browser thinks of its network.
        networkMode: 'always',
      },
    },
  });
}

export const isUnauthorized = (error: unknown): boolean =>
  isOrchestratorError(error) && error.reason === 'Unauthorized';

/** True if the token lacks a right that an answer needs. */
export const isForbidden = (error: unknown): boolean =>
  isOrchestratorError(error) && error.reason === 'Forbidden';
