/** Keys of existing configurations that nobody knows: whatever they say is lost, so they are told. */
import { didYouMean } from '@tutti/manifests/documents';
import type { ImportPlan, Origin } from './import-plan.ts';
import type { Entries } from './values.ts';

/** `key` of the origin: the way to the entries, empty for those of the whole file. */
export function tellUnknownKeys(
  { file, key }: Origin,
  entries: Entries,
  known: readonly string[],
  plan: ImportPlan,
): void {
  for (const name of Object.keys(entries)) {
    if (known.includes(name)) continue;
    const meant = didYouMean(name, known);
    plan.leftOut(
      { file, key: key === '' ? name : `${key}.${name}` },
      `It is no key that is known${meant || '.'}`,
      meant === ''
        ? 'see whether docs/server.md has what it was for'
        : 'correct it and import it again',
    );
  }
}
