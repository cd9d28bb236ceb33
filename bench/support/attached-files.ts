/** Files that a job attaches, with the ids under which they are had. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../../packages/client/src/index.ts';
import { getText, type Target } from './exchange.ts';

const LOOK_MS = 5;
const PAGE = 1_000;
const ATTACHED = /-([0-9a-f-]{36})_\d+_[^/]*$/;

/** Runs these scripts as steps; resolves with the paths of their attachments at the end. */
export async function attach(
  target: Target,
  scripts: readonly string[],
): Promise<readonly string[]> {
  const client = createClient({ baseUrl: target.url.href, token: target.token });
  const steps = scripts.map((run) => ({ run }));
  const manifest = {
    metadata: { name: 'attaches' },
    jobs: { only: { 'runs-on': 'linux', steps } },
  };
  const id = await client.startWorkflow({ manifestText: JSON.stringify(manifest) });
  const status = `/workflows/${id}/status`;
  for (;;) {
    const { details } = await page(target, `${status}?per_page=1`);
    if (details.status === 'FAILED') throw new Error('The run failed.');
    if (details.status === 'DONE') return await attachedPaths(target, id, status);
    await sleep(LOOK_MS);
  }
}

async function attachedPaths(
  target: Target,
  workflowId: string,
  status: string,
): Promise<readonly string[]> {
  const paths: string[] = [];
  for (let number = 1; ; number += 1) {
    const { details } = await page(target, `${status}?per_page=${PAGE}&page=${number}`);
    const names = details.items.flatMap(({ attachments = [] }) => attachments);
    const ids = names.flatMap((name) => ATTACHED.exec(name)?.[1] ?? []);
    paths.push(...ids.map((attachmentId) => `/workflows/${workflowId}/files/${attachmentId}`));
    if (details.items.length < PAGE) return paths;
  }
}

interface StatusPage {
  readonly details: {
    readonly status: string;
    readonly items: readonly { readonly attachments?: readonly string[] }[];
  };
}

async function page(target: Target, path: string): Promise<StatusPage> {
  return JSON.parse(await getText(target, path));
}
