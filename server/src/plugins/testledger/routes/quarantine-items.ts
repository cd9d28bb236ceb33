/** Entries of the journal as the interface shows them. */
import { formatTimestamp } from '@tutti/manifests';
import { isQuarantined } from '@tutti/test-history';
import type { ListedChange } from '../../../store/test-history.ts';
import { suiteAndName } from './test-items.ts';

/** The content of an entry that begins a quarantine. */
export interface QuarantineRecord {
  /** The subject of the token. */
  readonly by: string;
  readonly reason: string;
  readonly link: string | null;
  readonly until: string;
}

/** `isSpared` is false while the test is broken. */
export function quarantineItem(change: ListedChange, nowMs: number) {
  const { by, reason, link, until }: QuarantineRecord = JSON.parse(change.json);
  return {
    variant_id: change.variantId,
    ...{ by, reason, link, until },
    from: formatTimestamp(change.atMs),
    isSpared: isQuarantined(change, nowMs),
  };
}

export const testPart = ({ test }: Pick<ListedChange, 'test'>) => ({
  test_id: test.id,
  namespace: test.namespace,
  project: test.project,
  name: suiteAndName(test),
});

export const changeItem = ({ atMs, kind, variantId, json }: ListedChange) => ({
  at: formatTimestamp(atMs),
  kind,
  variant_id: variantId,
  change: JSON.parse(json),
});
