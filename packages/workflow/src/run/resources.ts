/** Resources of a run as expressions see them, and the credentials that are in their addresses. */
import { interpolateText, type Scope } from '@tutti/expressions';
import { nameOfFile } from '@tutti/manifests';
import { attempt, interpolateVariable, lazily } from './evaluation.ts';
import type { CalledWorkflow, Run } from './run.ts';

interface Addressed {
  readonly name: string;
  readonly endpoint: string;
}

/**
 * `contexts`: those that addresses may speak of, besides the variables of the workflow. An address that cannot be evaluated is an
 * error of who uses it, so each is evaluated when it is asked for.
 */
export function resourcesContext(
  run: Run,
  contexts: Scope['contexts'],
  called: CalledWorkflow | null = null,
): Readonly<Record<string, unknown>> {
  const { repositories = [], testmanagers = [] } = run.manifest.resources ?? {};
  const evaluate = evaluator(run, contexts);
  return {
    files: filesContext(run, called),
    repositories: lazyEntries(repositories, evaluate),
    testmanagers: lazyEntries(testmanagers, evaluate),
  };
}

/** The same as plain values, for others: without those whose address cannot be evaluated, as nobody can use them. */
export function plainResources(
  run: Run,
  contexts: Scope['contexts'],
  called: CalledWorkflow | null,
): Readonly<Record<string, unknown>> {
  const { repositories = [], testmanagers = [] } = run.manifest.resources ?? {};
  const evaluate = evaluator(run, contexts);
  const sound = (items: readonly Addressed[]) =>
    Object.fromEntries(
      items.flatMap((item) => {
        const evaluated = attempt(item.name, () => evaluate(item));
        return evaluated.ok ? [[item.name, evaluated.value] as const] : [];
      }),
    );
  return {
    files: filesContext(run, called),
    repositories: sound(repositories),
    testmanagers: sound(testmanagers),
  };
}

function filesContext(
  { manifest }: Run,
  called: CalledWorkflow | null,
): Readonly<Record<string, string>> {
  const names = called?.files ?? (manifest.resources?.files ?? []).map(nameOfFile);
  return Object.fromEntries(names.map((name) => [name, name]));
}

function evaluator(run: Run, contexts: Scope['contexts']): (item: Addressed) => Addressed {
  const scope = lazily(() => scopeOfAddresses(run, contexts));
  return (item) => ({ ...item, endpoint: interpolateText(item.endpoint, scope()) });
}

function lazyEntries(
  items: readonly Addressed[],
  evaluate: (item: Addressed) => Addressed,
): Readonly<Record<string, unknown>> {
  const entries: Record<string, unknown> = {};
  for (const item of items) {
    Object.defineProperty(entries, item.name, { enumerable: true, get: () => evaluate(item) });
  }
  return entries;
}

/** Variables that speak of resources are not there for addresses, or both would wait for each other. */
function scopeOfAddresses(run: Run, contexts: Scope['contexts']): Scope {
  // Without a prototype, so that `__proto__` is a name like any other.
  const variables: Record<string, string> = Object.create(null);
  const scope = { contexts: { ...contexts, variables } };
  for (const [name, variable] of Object.entries(run.manifest.variables ?? {})) {
    const evaluated = attempt(name, () => interpolateVariable(variable, scope));
    if (!evaluated.ok) continue;
    variables[name] = typeof evaluated.value === 'string' ? evaluated.value : evaluated.value.value;
  }
  return scope;
}

/** Passwords and tokens in the addresses of resources, as they stand there and as they are meant. */
export function credentialsOf(run: Run, contexts: Scope['contexts']): readonly string[] {
  const { files = [], repositories = [], testmanagers = [] } = run.manifest.resources ?? {};
  const scope = scopeOfAddresses(run, contexts);
  const addresses = [
    ...files.flatMap((file) => (typeof file === 'string' ? [] : [file.url])),
    ...[...repositories, ...testmanagers].flatMap(({ endpoint }) => {
      const evaluated = attempt('endpoint', () => interpolateText(endpoint, scope));
      return evaluated.ok ? [evaluated.value] : [endpoint];
    }),
  ];
  return addresses.flatMap(credentialsIn);
}

/** The password, or a token that stands alone in the place of a user. */
function credentialsIn(address: string): readonly string[] {
  const [, user = '', password] =
    /^[a-z][a-z0-9+.-]*:\/\/([^/?#:@]*)(?::([^/?#]*))?@/i.exec(address) ?? [];
  const credential = password ?? user;
  if (credential === '') return [];
  // An address that is put together anew has it in a third form.
  const { password: again, username } = URL.canParse(address) ? new URL(address) : EMPTY;
  return [credential, decoded(credential), again || username];
}

const EMPTY = { password: '', username: '' };

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
