/**
 * Parses `uses` of a job: `./NAME` is a file that comes with the run, `REPOSITORY/PATH@REF` one in a repository. The repository is the name
 * of a resource, or a whole address that ends with `.git`. Without `@REF` it is its main branch.
 */

import type { RepositoryReference } from '../facts/fact.ts';

export type CallReference =
  | { readonly kind: 'file'; readonly file: string }
  | ({ readonly kind: 'repository' } & RepositoryReference)
  /** `why` continues a sentence: "..., but ...". */
  | { readonly kind: 'wrong'; readonly why: string };

const wrong = (why: string): CallReference => ({ kind: 'wrong', why });

/** `uses` has no expressions any more; `repositories` are the names of resources, null where nobody knows them. */
export function parseCall(uses: string, repositories: readonly string[] | null): CallReference {
  if (uses.startsWith('./')) return { kind: 'file', file: uses.slice('./'.length) };
  const [address, ofAddress] = splitAddress(uses);
  if (address !== null) {
    return hasUser(address)
      ? wrong('credentials in an address would be shown: declare the repository in the resources')
      : fileIn(address, ofAddress);
  }
  const names = repositories ?? [uses.slice(0, Math.max(0, uses.indexOf('/')))];
  const name = longestPrefix(uses, names);
  if (name !== null) return fileIn(name, uses.slice(name.length + 1));
  return wrong(whyUnknown(uses));
}

function whyUnknown(uses: string): string {
  const [first = ''] = uses.split(/[/@]/, 1);
  const forms = 'files that come with the run are called as "./NAME"';
  return uses.includes('/')
    ? `"${first}" is no repository of the resources; ${forms}`
    : `expected REPOSITORY/PATH@REF; ${forms}`;
}

const ADDRESS = /^([a-z][a-z0-9+.-]*:\/\/[^\s$]+?\.git)\/(.*)$/is;

function splitAddress(uses: string): readonly [address: string | null, rest: string] {
  const [, address = null, rest = ''] = ADDRESS.exec(uses) ?? [];
  return [address, rest];
}

/** The text of a call without credentials, for messages. */
export const shownCall = (uses: string): string =>
  uses.slice(0, CALL_LENGTH_SHOWN).replace(/:\/\/[^/]*@/, '://***@');

const CALL_LENGTH_SHOWN = 200;

const hasUser = (address: string): boolean => /^[^/]*:\/\/[^/]*@/.test(address);

/** A name may have slashes, so one may be the beginning of another. */
function longestPrefix(uses: string, names: readonly string[]): string | null {
  const fitting = names.filter((name) => name !== '' && uses.startsWith(`${name}/`));
  return fitting.reduce<string | null>(
    (longest, name) => (longest === null || name.length > longest.length ? name : longest),
    null,
  );
}

/** Refs such as `pkg@1.2.3` are frequent, paths with the sign are not: the first one begins the ref. */
function fileIn(repository: string, rest: string): CallReference {
  const at = rest.indexOf('@');
  return checked({
    repository,
    path: at < 0 ? rest : rest.slice(0, at),
    ref: at < 0 ? null : rest.slice(at + 1),
  });
}

/** The file in the repository, if a repository can have one there. */
export function checked(reference: RepositoryReference): CallReference {
  const { path, ref } = reference;
  if (!isPath(path)) return wrong(`"${shown(path)}" is no path of a file in a repository`);
  if (ref !== null && !isRef(ref)) return wrong(`"${shown(ref)}" is no branch, tag or commit`);
  return { kind: 'repository', ...reference };
}

const PATH_LENGTH_MAX = 1024;
const REF_LENGTH_MAX = 255;
const SHOWN_LENGTH_MAX = 100;

const shown = (text: string): string => text.slice(0, SHOWN_LENGTH_MAX);

/** A text with `${{` would be evaluated again where it is passed on. */
const UNFIT = /[\p{Cc}\\]|\$\{\{/u;

function isPath(path: string): boolean {
  if (path.length > PATH_LENGTH_MAX || UNFIT.test(path)) return false;
  return path.split('/').every((name) => name !== '' && name !== '.' && name !== '..');
}

/** True for names that git allows for a reference, except those that are options or patterns on its command line. */
function isRef(ref: string): boolean {
  if (ref.length > REF_LENGTH_MAX || UNFIT.test(ref)) return false;
  return (
    /^(?![-+./])[^\s~^:?*[]+$/.test(ref) && !/\.\.|\/\/|\/\.|@\{|(?:\.lock|[./])(?:\/|$)/.test(ref)
  );
}

/** `shop/tests/checks.yaml@v1`, as an author would write it. */
export function referenceText({ repository, path, ref }: RepositoryReference): string {
  return `${repository}/${path}${ref === null ? '' : `@${ref}`}`;
}
