/** A text that two runs share only if all of their state is the same. */
import type { Run } from '../run.ts';

export function fingerprint(run: Run): string {
  return JSON.stringify(run, (_name, value) => {
    if (value instanceof Map) return { map: [...value] };
    if (value instanceof Set) return { set: [...value] };
    return value;
  });
}
