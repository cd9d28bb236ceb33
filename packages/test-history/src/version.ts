/** Which version and which branch a run tested. */

/** One repository of a run, as its checkout step reported it. */
export interface Checkout {
  readonly repository: string;
  readonly commit: string;
  readonly branch: string | null;
}

export interface VersionFacts {
  /** `version=` of the request. */
  readonly requested: string | null;
  readonly checkouts: readonly Checkout[];
  /** The version of the run that this one repeats. */
  readonly repeated: string | null;
  /** Versions of deployed services: of the variable `TUTTI_VERSION`, and of lines `::version::TEXT`. */
  readonly services: readonly string[];
}

export interface BranchFacts extends Pick<VersionFacts, 'requested' | 'checkouts' | 'repeated'> {}

/** SHA-256 of a text, in hexadecimal digits. */
export type Sha256 = (text: string) => string;

/** In characters: versions are keys of an index. */
const LENGTH_MAX = 500;

/** Null if nobody said it. Then the run is a version of its own, and only attempts make contradictions. */
export function versionOf(facts: VersionFacts, sha256: Sha256): string | null {
  const code = facts.requested || checkedOut(facts.checkouts, sha256) || facts.repeated;
  const services = [...new Set(facts.services)].filter((text) => text !== '').sort();
  // The version of a repeated run has those of its services already.
  const added = services.filter((text) => code?.split(' + ').includes(text) !== true);
  const text = [...(code ? [code] : []), ...added].join(' + ');
  return (text.length > LENGTH_MAX ? sha256(text) : text) || null;
}

function checkedOut(checkouts: readonly Checkout[], sha256: Sha256): string | null {
  if (checkouts.length === 0) return null;
  const texts = checkouts.map(({ repository, commit }) => JSON.stringify([repository, commit]));
  return sha256([...new Set(texts)].sort().join('\n'));
}

/** Null if nobody said it. Checkouts name the branch of the first one that has one. */
export function branchOf({ requested, checkouts, repeated }: BranchFacts): string | null {
  const checkedOutBranch = checkouts.find(({ branch }) => branch)?.branch ?? null;
  const branch = requested || checkedOutBranch || repeated;
  return branch ? branch.replace(/^refs\/heads\//, '') : null;
}

/** Whether executions count for states. Without any branch they do: otherwise nobody would have states before branches are reported. */
export const isMainBranch = (branch: string | null, mainBranches: readonly string[]): boolean =>
  branch === null || mainBranches.includes(branch);
