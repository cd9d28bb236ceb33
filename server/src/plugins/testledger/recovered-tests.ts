/** Ends quarantines whose tests have recovered. */
import { isUnreliable, type TestState } from '@tutti/test-history';
import type { Store } from '../../store/store.ts';
import type { FoldedVariant, JournalRow, ListedChange } from '../../store/test-history.ts';

type RecoveryStore = Pick<Store, 'testVariants' | 'testJournal'>;

/** Variants of a test that are looked at, the worst first. */
const VARIANTS_MAX = 1_000;

/**
 * Entries for the journal, in the transaction that changes the states. `recovered` has variants that recover with it, and `folded` all that
 * it writes.
 */
export async function releasesFor(
  store: RecoveryStore,
  recovered: readonly { readonly entry: JournalRow }[],
  folded: readonly FoldedVariant[],
): Promise<readonly JournalRow[]> {
  const releases = new Map<string, JournalRow>();
  const states = new Map(folded.map(({ variant, ledger }) => [variant.id, ledger?.state ?? null]));
  for (const { entry } of recovered) {
    const { testId, variantId } = entry;
    // One that is over may be ended, too: nothing depends on a clock.
    const held = await store.testJournal({ testId, inForceMs: 0, offset: 0, limit: VARIANTS_MAX });
    for (const quarantine of held) {
      const isOfVariant = quarantine.variantId === variantId;
      if (!isOfVariant && !(await isOver(store, quarantine, states))) continue;
      releases.set(`${testId} ${quarantine.variantId}`, {
        ...entry,
        kind: 'recovered',
        variantId: quarantine.variantId,
        untilMs: null,
      });
    }
  }
  return [...releases.values()];
}

/** Whether no variant of a whole test is flaky or broken any more. */
async function isOver(
  store: RecoveryStore,
  { variantId, testId }: ListedChange,
  states: ReadonlyMap<string, TestState | null>,
): Promise<boolean> {
  if (variantId !== null) return false;
  const variants = await store.testVariants({ testId, limit: VARIANTS_MAX });
  return !variants.some(({ id, state }) => isUnreliable(states.get(id) ?? state));
}
