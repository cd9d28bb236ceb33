/** The workflow of an earlier run, with its inputs as defaults. */
import { useQuery } from '@tanstack/react-query';
import { ask, runPath } from '../../data/api.ts';
import { writeWorkflow } from './checker.ts';

type Manifest = Readonly<Record<string, unknown>>;

const EXAMPLE = `metadata:
  name: first
jobs:
  hello:
    runs-on: linux
    steps:
      - run: echo "Hello from Tutti"
`;

/** `text` is null until it is there. Without an earlier run it is an example. */
export function useEarlier(from: string | undefined) {
  const { data, error, refetch } = useQuery({
    queryKey: ['earlier', from],
    queryFn: ({ signal }) => readEarlier(from ?? '', signal),
    enabled: from !== undefined,
    // The manifest of a run never changes.
    staleTime: Number.POSITIVE_INFINITY,
  });
  const again = () => void refetch();
  if (from === undefined) return { text: EXAMPLE, namespace: null, error: null, again };
  return { text: data?.text ?? null, namespace: data?.namespace ?? null, error, again };
}

async function readEarlier(runId: string, signal: AbortSignal) {
  const { items } = await ask<{ readonly items: readonly Manifest[] }>({
    path: runPath(runId, '/status'),
    query: { fieldSelector: 'kind=Workflow', per_page: '1' },
    signal,
  });
  const [manifest] = items;
  if (manifest === undefined) throw new Error('The run has no workflow.');
  const { namespace } = manifest.metadata as { readonly namespace?: string };
  const { text } = await writeWorkflow(manifest);
  return { text, namespace: namespace ?? null };
}
