/** The workspace of a job in the form of its shell (wire facts 3.4 and 3.7). The environment wrote it into its variables file. */
import type { ChannelOs } from '@tutti/manifests';
import { shellValue } from './shell-value.ts';

const WORKSPACE = 'OPENTF_WORKSPACE';

/** True for a path that needs no directory to begin from. */
export function isAbsolutePath(path: string, os: ChannelOs): boolean {
  return os === 'windows' ? /^(?:[a-z]:)?[\\/]/i.test(path) : path.startsWith('/');
}

/** Null when the path is not known: nothing was recorded, or nothing that can be read without the shell. */
export function recordedWorkspace(
  variables: Readonly<Record<string, string>> | null,
  os: ChannelOs,
): string | null {
  const text = variables?.[WORKSPACE] ?? '';
  const path = os === 'windows' ? text : shellValue(text, os);
  return path !== null && isAbsolutePath(path, os) ? path : null;
}

/** Variables of earlier steps as later steps read them: without shell quoting, where that can be resolved here. */
export function variablesAsSeen(
  variables: Readonly<Record<string, string>>,
  os: ChannelOs,
): Readonly<Record<string, string>> {
  const values = Object.entries(variables).map(([name, written]): [string, string] => [
    name,
    shellValue(written, os) ?? written,
  ]);
  const path = recordedWorkspace(variables, os);
  return Object.fromEntries([...values, ...(path === null ? [] : [[WORKSPACE, path]])]);
}
