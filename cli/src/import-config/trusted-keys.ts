/** Public keys that existing services trust, with the namespaces that their tokens reach. */
import { basename, dirname, resolve } from 'node:path';
import { NAMESPACE_NAME } from '@tutti/manifests';
import { type FileChecks, SERVICE_NAMES } from '@tutti/server';
import { adviceForPath, copyName, type PathFinder, readText } from './found-paths.ts';
import type { ImportPlan, Origin } from './import-plan.ts';
import { MEND } from './known-form.ts';
import type { Setting, Settings } from './settings.ts';
import { namesOf, textOf } from './values.ts';

export interface AccessDeps {
  readonly plan: ImportPlan;
  readonly paths: PathFinder;
  readonly checks: FileChecks;
}

/** A line of the file that gives keys their namespaces. */
interface KeyLine extends Origin {
  /** As it is written. */
  readonly keyFile: string;
  /** The file here; null when it is not. */
  readonly found: string | null;
  /** Null where the line has none. */
  readonly namespaces: string | null;
}

/** A key file that services trust, as their configuration writes it. */
interface TrustedFile {
  /** The first that names it is told of. */
  readonly origin: Setting;
  /** All that name it. */
  readonly origins: readonly Setting[];
  readonly file: string;
}

/** What tokens of a key reach that no line speaks of, as existing services have it. */
const DEFAULT_NAMESPACE = 'default';

export async function importTrustedKeys(settings: Settings, deps: AccessDeps): Promise<void> {
  const lines = keyLines(settings.named('trustedkeys_auth_file'), deps);
  const files = trustedFiles(settings, deps);
  const trusted: object[] = [];
  const used = new Set<KeyLine>();
  const carried = new Set<Setting>();
  for (const { origin, origins, file } of files) {
    const line = lineOf(file, lines, files);
    if (line !== null) used.add(line);
    const entry = await trustedKey(origin, file, line, deps);
    if (entry === null) continue;
    trusted.push(entry);
    for (const each of origins) carried.add(each);
  }
  for (const setting of carried) deps.plan.carried(setting, 'auth.trustedKeys');
  const all = [...trusted, ...keyOfVariable(settings, deps)];
  if (all.length > 0) deps.plan.set('auth.trustedKeys', all);
  for (const line of lines.filter((each) => !used.has(each))) {
    deps.plan.unneeded(line, 'The key is not trusted, so its line was skipped before as well.');
  }
}

/** By its path; by its name alone where that can mean no other key. */
function lineOf(
  file: string,
  lines: readonly KeyLine[],
  files: readonly TrustedFile[],
): KeyLine | null {
  const byPath = lines.find(({ found }) => found !== null && resolve(found) === resolve(file));
  if (byPath !== undefined) return byPath;
  const name = basename(file);
  const [named, ...others] = lines.filter(
    ({ keyFile, found }) => found === null && basename(keyFile) === name,
  );
  const isOnly = files.filter((each) => basename(each.file) === name).length === 1;
  return named !== undefined && others.length === 0 && isOnly ? named : null;
}

/** Of each service; what one of them trusts alone would reach all of this server. */
function trustedFiles(settings: Settings, deps: AccessDeps): readonly TrustedFile[] {
  const all = settings.named('trusted_authorities');
  const isOuter = ({ service }: Setting) => SERVICE_NAMES.some((name) => name === service);
  // Others were asked for nothing by those who have tokens.
  const authorities = all.some(isOuter) ? all.filter(isOuter) : all;
  for (const setting of all.filter((each) => !authorities.includes(each))) {
    deps.plan.unneeded(setting, 'Nobody calls this service from outside.');
  }
  const directories = settings.named('trustedkeys_paths', 'trustedkeys_path');
  const named = authorities.map((setting) => ({ setting, paths: pathsIn(setting, deps.plan) }));
  const found = named.flatMap(({ setting, paths }) => {
    const common = paths.filter((path) => named.every((other) => other.paths.includes(path)));
    for (const path of paths.filter((each) => !common.includes(each))) {
      deps.plan.leftOut(
        setting,
        `${path} is trusted by some services alone, and its tokens would reach all of this server.`,
        'add it to auth.trustedKeys if they may, or make tokens for its users: "tutti tokens create --subject NAME --resources LIST"',
      );
    }
    return filesOf(setting, common, deps);
  });
  const ofVariables = directories.flatMap((setting) =>
    filesOf(
      setting,
      (textOf(setting.value) ?? '').split(/[,:]/).filter((path) => path !== ''),
      deps,
    ),
  );
  const byFile = Map.groupBy([...found, ...ofVariables], ({ file }) => file);
  return [...byFile].flatMap(([file, named]) => {
    const origins = named.map(({ origin }) => origin);
    return origins.slice(0, 1).map((origin) => ({ origin, origins, file }));
  });
}

function pathsIn(setting: Setting, plan: ImportPlan): readonly string[] {
  const paths = namesOf(setting.value);
  if (paths === null) plan.leftOut(setting, 'It is no list of files.', MEND);
  return paths ?? [];
}

function filesOf(
  origin: Setting,
  paths: readonly string[],
  { plan, paths: finder }: AccessDeps,
): readonly Pick<TrustedFile, 'origin' | 'file'>[] {
  return paths.flatMap((path) => {
    const files = finder.files(path, origin.folder);
    if (files === null) plan.leftOut(origin, `There is no ${path} here.`, adviceForPath(path));
    return (files ?? []).map((file) => ({ origin, file }));
  });
}

/** An entry of `auth.trustedKeys`; null for what is left out, which is told. */
async function trustedKey(
  origin: Setting,
  file: string,
  line: KeyLine | null,
  { plan, checks }: AccessDeps,
): Promise<object | null> {
  const read = readText(file);
  const problem =
    'problem' in read ? `${file} ${read.problem}.` : await checks.problemOfKeyFile(file);
  if ('problem' in read || problem !== null) {
    plan.leftOut(origin, problem ?? '', adviceForKey('text' in read ? read.text : '', file));
    return null;
  }
  const namespaces = namespacesOf(origin, file, line, plan);
  if (namespaces === null) return null;
  return { path: plan.addFile(`keys/${copyName(file)}`, read.text), namespaces };
}

function adviceForKey(text: string, file: string): string {
  if (/PRIVATE KEY-----/.test(text)) return 'a private key is not needed to trust its tokens';
  return /^(?:ssh|ecdsa)-/.test(text)
    ? `"ssh-keygen -e -m PKCS8 -f ${file}" writes it as one`
    : 'take the public key in PEM form';
}

function namespacesOf(
  origin: Setting,
  file: string,
  line: KeyLine | null,
  plan: ImportPlan,
): string | null {
  if (line === null || line.namespaces === null) {
    plan.changed(
      line ?? origin,
      'auth.trustedKeys',
      `Nothing gives ${file} namespaces, so its tokens reach "${DEFAULT_NAMESPACE}" alone.`,
      WIDEN,
    );
    return DEFAULT_NAMESPACE;
  }
  const names = line.namespaces.split(',').map((name) => name.trim());
  const known = names.filter((name) => name === '*' || new RegExp(NAMESPACE_NAME).test(name));
  const wrong = names.filter((name) => !known.includes(name));
  if (wrong.length > 0) {
    plan.leftOut(
      line,
      `"${wrong.join(', ')}" is no name of a namespace here.`,
      'take small letters, digits and -, or * for all',
    );
  } else plan.carried(line, 'auth.trustedKeys');
  if (known.includes('*')) return '*';
  return known.length === 0 ? null : known.join(',');
}

const WIDEN = 'set its namespaces to "*" in the written configuration if they are to reach all';

/** A key that stands in a variable. */
function keyOfVariable(settings: Settings, { plan }: AccessDeps): readonly object[] {
  return settings.named('public_key').flatMap((setting) => {
    const text = (textOf(setting.value) ?? '').replaceAll('\\n', '\n');
    if (!/^-----BEGIN [A-Z ]*PUBLIC KEY-----/.test(text)) {
      plan.leftOut(setting, 'It is no public key in PEM form.', adviceForKey(text, 'FILE'));
      return [];
    }
    const why = `Nothing gives it namespaces, so its tokens reach "${DEFAULT_NAMESPACE}" alone.`;
    plan.changed(setting, 'auth.trustedKeys', why, WIDEN);
    return [
      { path: plan.addFile('keys/public-key.pem', `${text}\n`), namespaces: DEFAULT_NAMESPACE },
    ];
  });
}

const FORM = 'write keyfile,name,"groups","namespaces"';

/** Of each file once, however many services name it. */
function keyLines(settings: readonly Setting[], deps: AccessDeps): readonly KeyLine[] {
  const byFile = new Map<string, NamedFile>();
  for (const setting of settings) {
    const named = readNamedFile(setting, deps);
    if (named === null) continue;
    deps.plan.carried(setting, 'auth.trustedKeys');
    byFile.set(named.file, named);
  }
  return [...byFile.values()].flatMap((read) => linesOf(read, deps));
}

export interface NamedFile {
  readonly file: string;
  readonly text: string;
}

/** The file that a setting names; null for what is not here, which is told. */
export function readNamedFile(setting: Setting, { plan, paths }: AccessDeps): NamedFile | null {
  const path = textOf(setting.value) ?? '';
  const file = paths.find(path, setting.folder);
  const read = file === null ? null : readText(file);
  if (file !== null && read !== null && 'text' in read) return { file, text: read.text };
  plan.leftOut(setting, `There is no ${path} here that can be read.`, adviceForPath(path));
  return null;
}

function linesOf({ file, text: content }: NamedFile, { plan, paths, checks }: AccessDeps) {
  return checks.accessLines(content).flatMap(({ line, text }) => {
    const origin = { file, key: `line ${line}` };
    const cells = checks.csvCells(text);
    const [keyFile = '', , , namespaces = ''] = cells ?? [];
    if (cells === null || cells.length < 2 || keyFile === '') {
      plan.leftOut(origin, 'It is no line for a key.', FORM);
      return [];
    }
    const found = paths.find(keyFile, dirname(file));
    return [{ ...origin, keyFile, found, namespaces: namespaces === '' ? null : namespaces }];
  });
}
