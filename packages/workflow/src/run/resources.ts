/** Resources of a run as expressions see them, and the credentials that are in their addresses. */
import {
  createBudget,
  type EvaluationBudget,
  interpolateText,
  type Scope,
  STEPS_MAX,
} from '@tutti/expressions';
import {
  dictionary,
  type FetchedFile,
  nameOfFile,
  OrchestratorError,
  type RepositoryResource,
  type TestManagerResource,
} from '@tutti/manifests';
import { attempt, type Evaluated, interpolateVariable, lazily } from './evaluation.ts';
import type { CalledWorkflow, Run } from './run.ts';

type Addressed = RepositoryResource | TestManagerResource;

interface ResourceScope {
  /** Contexts of addresses, besides the variables of the workflow. */
  readonly contexts: Scope['contexts'];
  /** The called workflow whose files these are; null for those of the run. */
  readonly called: CalledWorkflow | null;
}

/** Evaluates addresses when one is asked for: an address that cannot be evaluated is an error of its user. */
export function resourcesContext(
  run: Run,
  { contexts, called }: ResourceScope,
  within: EvaluationBudget,
): Readonly<Record<string, unknown>> {
  const { repositories = [], testmanagers = [] } = run.manifest.resources ?? {};
  const addresses = lazily(() => addressesOf(run, contexts, within));
  return {
    files: filesContext(run, called),
    repositories: lazyEntries(lastOfName(repositories), addresses),
    testmanagers: lazyEntries(lastOfName(testmanagers), addresses),
  };
}

/** The resources as plain values, for plugins. A resource whose address cannot be evaluated is left out, as nobody can use it. */
export function plainResources(
  run: Run,
  { contexts, called }: ResourceScope,
  within: EvaluationBudget,
): Readonly<Record<string, unknown>> {
  const { repositories = [], testmanagers = [] } = run.manifest.resources ?? {};
  const addresses = addressesOf(run, contexts, within);
  const sound = (items: readonly Addressed[]) =>
    Object.fromEntries(
      items.flatMap((item) => {
        const addressed = addresses.get(item);
        return addressed?.ok === true ? [[item.name, addressed.value] as const] : [];
      }),
    );
  return {
    files: filesContext(run, called),
    repositories: sound(lastOfName(repositories)),
    testmanagers: sound(lastOfName(testmanagers)),
  };
}

function filesContext(
  { manifest }: Run,
  called: CalledWorkflow | null,
): Readonly<Record<string, string>> {
  const names = called?.files ?? (manifest.resources?.files ?? []).map(nameOfFile);
  return Object.fromEntries(names.map((name) => [name, name]));
}

type Addresses = ReadonlyMap<Addressed, Evaluated<Addressed>>;

/**
 * Evaluates all of them together within one budget. If fewer were evaluated, their outcomes could differ. A value that failed when the run
 * began has no mask.
 */
function addressesOf(
  run: Run,
  contexts: Scope['contexts'],
  within: EvaluationBudget | null,
): Addresses {
  const { repositories = [], testmanagers = [] } = run.manifest.resources ?? {};
  const scope = scopeOfAddresses(run, contexts, createBudget(STEPS_MAX, within));
  const text = (template: string) => interpolateText(template, scope);
  // An address has two parts: the host, and the repository or project there. Either kind may have unknown keys named like those of the
  // other.
  const ofRepositories = repositories.map((item) =>
    addressOf(item, () => ({ endpoint: text(item.endpoint), repository: text(item.repository) })),
  );
  const ofManagers = testmanagers.map((item) =>
    addressOf(item, () => ({ endpoint: text(item.endpoint), testmanager: text(item.testmanager) })),
  );
  return new Map([...ofRepositories, ...ofManagers]);
}

const addressOf = (item: Addressed, parts: () => object) =>
  [item, attempt(`address of "${item.name}"`, (): Addressed => ({ ...item, ...parts() }))] as const;

/** Files with their addresses as they are meant; `contexts` as above. Throws `Invalid` for an address that cannot be evaluated. */
export function addressedFiles(
  run: Run,
  contexts: Scope['contexts'],
): (file: FetchedFile) => FetchedFile {
  const scope = scopeOfAddresses(run, contexts, createBudget(STEPS_MAX));
  return (file) => {
    const where = `address of "${file.name}"`;
    const address = attempt(where, () => interpolateText(file.url, scope));
    if (!address.ok) throw new OrchestratorError('Invalid', address.error);
    return { ...file, url: address.value };
  };
}

/** An author may give several resources one name, with a warning. */
function lastOfName(items: readonly Addressed[]): readonly Addressed[] {
  return [...new Map(items.map((item) => [item.name, item])).values()];
}

function lazyEntries(
  items: readonly Addressed[],
  addresses: () => Addresses,
): Readonly<Record<string, unknown>> {
  const entries = dictionary<unknown>();
  for (const item of items) {
    const get = () => withAddress(item, addresses().get(item));
    Object.defineProperty(entries, item.name, { enumerable: true, get });
  }
  return entries;
}

function withAddress(item: Addressed, address: Evaluated<Addressed> | undefined): Addressed {
  if (address?.ok === false) throw new OrchestratorError('Invalid', address.error);
  return address?.value ?? item;
}

/** Variables that speak of resources are not there for addresses, or both would wait for each other. */
function scopeOfAddresses(run: Run, contexts: Scope['contexts'], budget: EvaluationBudget): Scope {
  const variables = lazily(() => variablesOfAddresses(run, contexts, budget));
  return {
    contexts: {
      ...contexts,
      get variables() {
        return variables();
      },
    },
    budget,
  };
}

function variablesOfAddresses(
  run: Run,
  contexts: Scope['contexts'],
  budget: Scope['budget'],
): Readonly<Record<string, string>> {
  // Without a prototype, so that `__proto__` is a name like any other.
  const variables: Record<string, string> = Object.create(null);
  const scope = { contexts: { ...contexts, variables }, budget };
  for (const [name, variable] of Object.entries(run.manifest.variables ?? {})) {
    const evaluated = attempt(name, () => interpolateVariable(variable, scope));
    if (!evaluated.ok) continue;
    variables[name] = typeof evaluated.value === 'string' ? evaluated.value : evaluated.value.value;
  }
  return variables;
}

/** Passwords and tokens in the addresses of resources, as they stand there and as they are meant. */
export function credentialsOf(run: Run, contexts: Scope['contexts']): readonly string[] {
  const { files = [] } = run.manifest.resources ?? {};
  const addresses = [
    ...files.flatMap((file) => (typeof file === 'string' ? [] : [file.url])),
    ...[...addressesOf(run, contexts, null)].map(([{ endpoint }, address]) =>
      address.ok ? address.value.endpoint : endpoint,
    ),
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
