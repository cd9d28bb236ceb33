/** The scripts that a call of a function would run, without running them. */
import type { ChannelOs, WorkflowStep } from '@tutti/manifests';
import { parseFunctionName } from '@tutti/sdk';
import type { ProviderCatalog } from './provider-catalog.ts';

/** The scripts of the function's own steps. None for functions that are not known here, and for calls that they refuse. */
export async function scriptsOfCall(
  catalog: Pick<ProviderCatalog, 'find'>,
  { uses, with: given = {} }: WorkflowStep,
  os: ChannelOs,
): Promise<readonly string[]> {
  const name = uses === undefined ? null : parseFunctionName(uses);
  const called = name === null ? null : await catalog.find(name);
  if (called === null) return [];
  try {
    const steps = await called.call(given, { os });
    return steps.flatMap(({ run }) => run ?? []);
  } catch {
    // The call itself will report it, once its inputs have their values.
    return [];
  }
}
