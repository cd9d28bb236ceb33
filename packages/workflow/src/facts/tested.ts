/** Versions of deployed services, and checkouts of repositories: a step says with them what its run tests. */
import { OWN_ENTRIES as OWN } from '@tutti/manifests';
import { entry, extension } from './extensions.ts';

export const TESTED_LIMITS = {
  /** Versions of a step, and of all steps of a run together. Events and the run have them. */
  versions: 64,
  /** Checkouts, in the same way. */
  checkouts: 64,
  /** A version, in characters; as for `version=` of a request. */
  versionLength: 500,
  /** The address of a repository. */
  repositoryLength: 2048,
  /** The name of a branch, as for `branch=` of a request. */
  branchLength: 500,
} as const;

/** A commit of a repository, as a step checked it out. */
export interface Checkout {
  readonly repository: string;
  readonly commit: string;
  /** Null for a tag or a commit alone. */
  readonly branch: string | null;
}

export interface Tested {
  readonly versions: readonly string[];
  readonly checkouts: readonly Checkout[];
}

export const NOTHING_TESTED: Tested = { versions: [], checkouts: [] };

/** Entries for the `metadata` of a result. */
export const testedEntries = ({ versions, checkouts }: Tested): object => ({
  ...(checkouts.length === 0 ? {} : { [OWN.checkouts]: checkouts }),
  ...(versions.length === 0 ? {} : { [OWN.versions]: versions }),
});

/** Null for most results. */
export function testedIn({ metadata }: { readonly metadata: object }): Tested | null {
  const versions = extension.list(metadata, OWN.versions);
  const given = entry(metadata, OWN.checkouts);
  // Only the server writes this entry, so its type is certain.
  const checkouts = Array.isArray(given) ? (given as readonly Checkout[]) : [];
  return versions.length + checkouts.length === 0 ? null : { versions, checkouts };
}

const textOf = ({ repository, commit }: Checkout): string => JSON.stringify([repository, commit]);

/** Both together; beyond the limits, the first ones stay. */
export function addTested(one: Tested, other: Tested): Tested {
  const known = new Set(one.checkouts.map(textOf));
  const versions = other.versions.filter((version) => !one.versions.includes(version));
  const checkouts = other.checkouts.filter((checkout) => !known.has(textOf(checkout)));
  if (versions.length + checkouts.length === 0) return one;
  return {
    versions: [...one.versions, ...versions].slice(0, TESTED_LIMITS.versions),
    checkouts: [...one.checkouts, ...checkouts].slice(0, TESTED_LIMITS.checkouts),
  };
}
