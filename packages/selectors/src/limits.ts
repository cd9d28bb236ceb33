/** Bounds of what subscriptions look for in events; those of the manifest are in `SUBSCRIPTION_LIMITS`. */
export const SUBSCRIPTION_SELECTOR_LIMITS = {
  /**
   * Entries of a list in an event that are compared. An event may have a list of a million entries, and each expression of each
   * subscription is tested against it.
   */
  comparedEntries: 100,
  /** Combinations of the labels of one selector, about: they are for suggestions and listings. */
  combinations: 64,
} as const;
