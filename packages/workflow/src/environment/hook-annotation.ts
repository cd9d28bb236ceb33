/** The annotation of a command that tells its channel how to treat the workspace (wire facts 1.10 and 3.4). */
import type { ExecutionCommandEvent } from '@tutti/manifests';

export interface HookAnnotation {
  readonly channel: 'setup' | 'teardown';
  /** The directory to be made and used from this command on. */
  readonly 'use-workspace'?: string;
  /** Whether the workspace is left alone; false on another command than the release deletes it early. */
  readonly 'keep-workspace'?: boolean;
}

const nameOf = (apiGroup: string): string => `${apiGroup}/hooks`;

export function hookAnnotation(apiGroup: string, value: HookAnnotation): Record<string, unknown> {
  return { [nameOf(apiGroup)]: value };
}

/** Reads the annotation of the command's own API group. A command may come from anywhere: malformed entries count as absent. */
export function readHookAnnotation(
  command: Pick<ExecutionCommandEvent, 'apiVersion' | 'metadata'>,
): Partial<HookAnnotation> {
  const [apiGroup = ''] = command.apiVersion.split('/');
  const found = command.metadata.annotations?.[nameOf(apiGroup)];
  if (typeof found !== 'object' || found === null) return {};
  const { channel, 'use-workspace': used, 'keep-workspace': kept } = { ...found } as Loose;
  return {
    ...(channel === 'setup' || channel === 'teardown' ? { channel } : {}),
    ...(typeof used === 'string' && used !== '' ? { 'use-workspace': used } : {}),
    ...(typeof kept === 'boolean' ? { 'keep-workspace': kept } : {}),
  };
}

type Loose = { readonly [Key in keyof HookAnnotation]?: unknown };
