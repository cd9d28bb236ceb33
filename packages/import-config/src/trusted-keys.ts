/** Public keys that existing services trust, with the namespaces that their tokens reach. */
import { basename, dirname, resolve } from 'node:path';
import { NAMESPACE_NAME } from '@tutti/manifests';
import { namesOf, textOf } from '@tutti/manifests/values';
import { SERVICE_NAMES } from '@tutti/server';
import { copyName, readText } from './found-paths.ts';
import type { ImportPlan, NamedFile } from './import-plan.ts';
import { MEND } from './known-form.ts';
import type { Origin, Setting, Settings } from './settings.ts';

/** A line of the file that gives keys their namespaces. */
interface KeyLine extends Origin {
  /** As it is written. */
  readonly keyFile: string;
  /** The file here; null when it is not. */
  readonly found: string | null;
  /** Empty where the line has none. */
  readonly namespaces: string;
}

/** A key file, and the setting that names it. */
interface TrustedFile {
  readonly origin: Setting;
  readonly file: string;
}

/** The namespace of tokens whose key has no line, as with existing services. */
const DEFAULT_NAMESPACE = 'default';
const WIDEN = 'set its namespaces to "*" in the written configuration if they are to reach all';
const KEY = 'auth.trustedKeys';

export async function importTrustedKeys(settings: Settings, plan: ImportPlan): Promise<void> {
  const lines = keyLines(settings.named('trustedkeys_auth_file'), plan);
  // Several settings may name one file; the first of them is told of.
  const files = Map.groupBy(trustedFiles(settings, plan), ({ file }) => file);
  const trusted: object[] = [];
  const used = new Set<KeyLine>();
  const carried = new Set<Setting>();
  for (const [file, named] of files) {
    const [first] = named;
    if (first === undefined) continue;
    const line = lineOf(file, lines, [...files.keys()]);
    if (line !== null) used.add(line);
    const entry = await trustedKey(first.origin, file, line, plan);
    if (entry === null) continue;
    trusted.push(entry);
    for (const { origin } of named) carried.add(origin);
  }
  for (const setting of carried) plan.carried(setting, KEY);
  trusted.push(...settings.named('public_key').flatMap((setting) => keyOfVariable(setting, plan)));
  if (trusted.length > 0) plan.set(KEY, trusted);
  for (const line of lines.filter((each) => !used.has(each))) {
    plan.unneeded(line, 'The key is not trusted, so its line was skipped before as well.');
  }
}

/** By its path; by its name alone where that can mean no other key. */
function lineOf(file: string, lines: readonly KeyLine[], files: readonly string[]): KeyLine | null {
  const byPath = lines.find(({ found }) => found !== null && resolve(found) === resolve(file));
  if (byPath !== undefined) return byPath;
  const name = basename(file);
  const [named, ...others] = lines.filter(
    ({ keyFile, found }) => found === null && basename(keyFile) === name,
  );
  const isOnly = files.filter((each) => basename(each) === name).length === 1;
  return named !== undefined && others.length === 0 && isOnly ? named : null;
}

/** Of each service; what one of them trusts alone would reach all of this server. */
function trustedFiles(settings: Settings, plan: ImportPlan): readonly TrustedFile[] {
  const all = settings.named('trusted_authorities');
  const isOuter = ({ service }: Setting) => SERVICE_NAMES.some((name) => name === service);
  // Others were asked for nothing by those who have tokens.
  const authorities = all.some(isOuter) ? all.filter(isOuter) : all;
  for (const setting of all.filter((each) => !authorities.includes(each))) {
    plan.unneeded(setting, 'Nobody calls this service from outside.');
  }
  const directories = settings.named('trustedkeys_paths', 'trustedkeys_path');
  const named = authorities.map((setting) => ({ setting, paths: pathsIn(setting, plan) }));
  const found = named.flatMap(({ setting, paths }) => {
    const isCommon = (path: string) => named.every((other) => other.paths.includes(path));
    for (const path of paths.filter((each) => !isCommon(each))) {
      plan.leftOut(
        setting,
        `${path} is trusted by some services alone, and its tokens would reach all of this server.`,
        'add it to auth.trustedKeys if they may, or make tokens for its users: "tutti tokens create --subject NAME --resources LIST"',
      );
    }
    return filesOf(setting, paths.filter(isCommon), plan);
  });
  const ofVariables = directories.flatMap((setting) =>
    filesOf(setting, (textOf(setting.value) ?? '').split(/[,:]/).filter(Boolean), plan),
  );
  return [...found, ...ofVariables];
}

function pathsIn(setting: Setting, plan: ImportPlan): readonly string[] {
  const paths = namesOf(setting.value);
  if (paths === null) plan.leftOut(setting, 'It is no list of files.', MEND);
  return paths ?? [];
}

const filesOf = (origin: Setting, paths: readonly string[], plan: ImportPlan) =>
  paths.flatMap((path) => plan.filesAt(origin, path).map((file) => ({ origin, file })));

/** An entry of `auth.trustedKeys`; null for what is left out, which is told. */
async function trustedKey(
  origin: Origin,
  file: string,
  line: KeyLine | null,
  plan: ImportPlan,
): Promise<object | null> {
  const read = readText(file);
  const problem =
    'problem' in read ? `${file} ${read.problem}.` : await plan.checks.problemOfKeyFile(file);
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
  origin: Origin,
  file: string,
  line: KeyLine | null,
  plan: ImportPlan,
): string | null {
  if (line === null || line.namespaces === '') {
    const why = `Nothing gives ${file} namespaces, so its tokens reach "${DEFAULT_NAMESPACE}" alone.`;
    plan.changed(line ?? origin, KEY, why, WIDEN);
    return DEFAULT_NAMESPACE;
  }
  const names = line.namespaces.split(',').map((name) => name.trim());
  const known = names.filter((name) => name === '*' || new RegExp(NAMESPACE_NAME).test(name));
  const wrong = names.filter((name) => !known.includes(name));
  if (wrong.length > 0) {
    const why = `"${wrong.join(', ')}" is no name of a namespace here.`;
    plan.leftOut(line, why, 'take small letters, digits and -, or * for all');
  } else plan.carried(line, KEY);
  if (known.includes('*')) return '*';
  return known.length === 0 ? null : known.join(',');
}

/** A key that stands in a variable. */
function keyOfVariable(setting: Setting, plan: ImportPlan): readonly object[] {
  const text = (textOf(setting.value) ?? '').replaceAll('\\n', '\n');
  if (!/^-----BEGIN [A-Z ]*PUBLIC KEY-----/.test(text)) {
    plan.leftOut(setting, 'It is no public key in PEM form.', adviceForKey(text, 'FILE'));
    return [];
  }
  const why = `Nothing gives it namespaces, so its tokens reach "${DEFAULT_NAMESPACE}" alone.`;
  plan.changed(setting, KEY, why, WIDEN);
  const path = plan.addFile('keys/public-key.pem', `${text}\n`);
  return [{ path, namespaces: DEFAULT_NAMESPACE }];
}

/** Of each file once, however many services name it. */
function keyLines(settings: readonly Setting[], plan: ImportPlan): readonly KeyLine[] {
  const byFile = new Map<string, NamedFile>();
  for (const setting of settings) {
    const named = plan.readNamed(setting);
    if (named === null) continue;
    plan.carried(setting, KEY);
    byFile.set(named.file, named);
  }
  return [...byFile.values()].flatMap((read) => linesOf(read, plan));
}

function linesOf({ file, text: content }: NamedFile, plan: ImportPlan): readonly KeyLine[] {
  return plan.checks.accessLines(content).flatMap(({ line, text }) => {
    const origin = { file, key: `line ${line}` };
    const [keyFile = '', name, , namespaces = ''] = plan.checks.csvCells(text) ?? [];
    if (name === undefined || keyFile === '') {
      const form = 'write keyfile,name,"groups","namespaces"';
      plan.leftOut(origin, 'It is no line for a key.', form);
      return [];
    }
    return [{ ...origin, keyFile, found: plan.paths.find(keyFile, dirname(file)), namespaces }];
  });
}
