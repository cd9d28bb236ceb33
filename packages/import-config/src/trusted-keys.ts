/** Public keys that existing services trust, with the namespaces that their tokens reach. */
import { basename, dirname, resolve } from 'node:path';
import { NAMESPACE_NAME } from '@tutti/manifests';
import { namesOf } from '@tutti/manifests/values';
import { isService } from './addresses.ts';
import { copyName, readText } from './found-paths.ts';
import type { ImportPlan } from './import-plan.ts';
import { MEND, Origin } from './origin.ts';
import type { NamedFile, Setting, Settings } from './settings.ts';

/** A line of the file that gives keys their namespaces. */
interface KeyLine {
  readonly origin: Origin;
  /** Path of the key as written. */
  readonly keyFile: string;
  /** Path of the key file here; null when it is missing. */
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
  const lines = keyLines(settings.named('trustedkeys_auth_file'));
  // Several settings may name one file; only the first is reported.
  const files = Map.groupBy(trustedFiles(settings), ({ file }) => file);
  const trusted: object[] = [];
  const used = new Set<KeyLine>();
  const carried = new Set<Setting>();
  for (const [file, named] of files) {
    const [first] = named;
    if (first === undefined) continue;
    const line = lineOf(file, lines, [...files.keys()]);
    if (line !== null) used.add(line);
    const entry = await trustedKey(first.origin, file, line);
    if (entry === null) continue;
    trusted.push(entry);
    for (const { origin } of named) carried.add(origin);
  }
  for (const setting of carried) setting.carried(KEY);
  trusted.push(...settings.named('public_key').flatMap(keyOfVariable));
  if (trusted.length > 0) plan.set(KEY, trusted);
  for (const line of lines.filter((each) => !used.has(each))) {
    line.origin.unneeded('The key is not trusted, so its line was skipped before as well.');
  }
}

/** The line of a key, found by its path, or by its name alone if no other key can have it. */
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

/** Keys that every outer service trusts. One that only some trust is left out: its tokens would reach all of this server. */
function trustedFiles(settings: Settings): readonly TrustedFile[] {
  const all = settings.named('trusted_authorities');
  const isOuter = ({ service }: Setting) => isService(service);
  // Inner services were never called with tokens of users.
  const authorities = all.some(isOuter) ? all.filter(isOuter) : all;
  for (const setting of all.filter((each) => !authorities.includes(each))) {
    setting.unneeded('Nobody calls this service from outside.');
  }
  const directories = settings.named('trustedkeys_paths', 'trustedkeys_path');
  const named = authorities.map((setting) => ({ setting, paths: pathsIn(setting) }));
  const found = named.flatMap(({ setting, paths }) => {
    const isCommon = (path: string) => named.every((other) => other.paths.includes(path));
    for (const path of paths.filter((each) => !isCommon(each))) {
      setting.leftOut(
        `${path} is trusted by some services alone, and its tokens would reach all of this server.`,
        'add it to auth.trustedKeys if they may, or make tokens for its users: "tutti tokens create --subject NAME --resources LIST"',
      );
    }
    return filesOf(setting, paths.filter(isCommon));
  });
  const ofVariables = directories.flatMap((setting) =>
    filesOf(setting, setting.text.split(/[,:]/).filter(Boolean)),
  );
  return [...found, ...ofVariables];
}

function pathsIn(setting: Setting): readonly string[] {
  const paths = namesOf(setting.value);
  if (paths === null) setting.leftOut('It is no list of files.', MEND);
  return paths ?? [];
}

const filesOf = (origin: Setting, paths: readonly string[]) =>
  paths.flatMap((path) => origin.files(path).map((file) => ({ origin, file })));

/** An entry of `auth.trustedKeys`; null for a key that is left out, which is reported. */
async function trustedKey(origin: Origin, file: string, line: KeyLine | null) {
  const { plan } = origin;
  const read = readText(file);
  const problem =
    'problem' in read ? `${file} ${read.problem}.` : await plan.checks.problemOfKeyFile(file);
  if ('problem' in read || problem !== null) {
    origin.leftOut(problem ?? '', adviceForKey('text' in read ? read.text : '', file));
    return null;
  }
  const namespaces = namespacesOf(origin, file, line);
  if (namespaces === null) return null;
  return { path: plan.addFile(`keys/${copyName(file)}`, read.text), namespaces };
}

function adviceForKey(text: string, file: string): string {
  if (/PRIVATE KEY-----/.test(text)) return 'a private key is not needed to trust its tokens';
  return /^(?:ssh|ecdsa)-/.test(text)
    ? `"ssh-keygen -e -m PKCS8 -f ${file}" writes it as one`
    : 'take the public key in PEM form';
}

function namespacesOf(origin: Origin, file: string, line: KeyLine | null): string | null {
  if (line === null || line.namespaces === '') {
    const why = `Nothing gives ${file} namespaces, so its tokens reach "${DEFAULT_NAMESPACE}" alone.`;
    (line?.origin ?? origin).changed(KEY, why, WIDEN);
    return DEFAULT_NAMESPACE;
  }
  const names = line.namespaces.split(',').map((name) => name.trim());
  const known = names.filter((name) => name === '*' || new RegExp(NAMESPACE_NAME).test(name));
  const wrong = names.filter((name) => !known.includes(name));
  if (wrong.length > 0) {
    const why = `"${wrong.join(', ')}" is no name of a namespace here.`;
    line.origin.leftOut(why, 'take small letters, digits and -, or * for all');
  } else line.origin.carried(KEY);
  if (known.includes('*')) return '*';
  return known.length === 0 ? null : known.join(',');
}

/** The key in the value of a variable. */
function keyOfVariable(setting: Setting): readonly object[] {
  const text = setting.text.replaceAll('\\n', '\n');
  if (!/^-----BEGIN [A-Z ]*PUBLIC KEY-----/.test(text)) {
    setting.leftOut('It is no public key in PEM form.', adviceForKey(text, 'FILE'));
    return [];
  }
  const why = `Nothing gives it namespaces, so its tokens reach "${DEFAULT_NAMESPACE}" alone.`;
  setting.changed(KEY, why, WIDEN);
  const path = setting.plan.addFile('keys/public-key.pem', `${text}\n`);
  return [{ path, namespaces: DEFAULT_NAMESPACE }];
}

/** Lines of the files, each file once, however many services name it. */
function keyLines(settings: readonly Setting[]): readonly KeyLine[] {
  const byFile = new Map<string, readonly KeyLine[]>();
  for (const setting of settings) {
    const named = setting.read();
    if (named === null) continue;
    setting.carried(KEY);
    if (!byFile.has(named.file)) byFile.set(named.file, linesOf(named, setting.plan));
  }
  return [...byFile.values()].flat();
}

function linesOf({ file, text: content }: NamedFile, plan: ImportPlan): readonly KeyLine[] {
  return plan.checks.accessLines(content).flatMap(({ line, text }) => {
    const origin = new Origin(plan, file, `line ${line}`);
    const [keyFile = '', name, , namespaces = ''] = plan.checks.csvCells(text) ?? [];
    if (name === undefined || keyFile === '') {
      const form = 'write keyfile,name,"groups","namespaces"';
      origin.leftOut('It is no line for a key.', form);
      return [];
    }
    return [{ origin, keyFile, found: plan.paths.find(keyFile, dirname(file)), namespaces }];
  });
}
