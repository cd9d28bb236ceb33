/** Imports who has access: public keys that existing services trust, and their token files and policy files, line by line. */
import { basename, resolve } from 'node:path';
import { DEFAULT_API_GROUP, NAMESPACE_NAME } from '@tutti/manifests';
import { namesOf } from '@tutti/manifests/values';
import { isService } from './addresses.ts';
import { MEND, type Place } from './place.ts';
import type { Settings } from './settings.ts';
import { readText } from './source-documents.ts';

const KEY = 'auth.trustedKeys';

/** Tokens reach the namespace `default` if nothing gives their key others, as with existing services. */
function reportDefault(place: Place, key: string): string {
  const why = `Nothing gives ${key} namespaces, so its tokens reach "default" alone.`;
  const next = 'set its namespaces to "*" in the written configuration if they are to reach all';
  place.carried(KEY, why, next);
  return 'default';
}

export async function importTrustedKeys(settings: Settings): Promise<void> {
  const lines = keyLines(settings.take('trustedkeys_auth_file'));
  // Several settings may name one file; only the first is reported.
  const files = Map.groupBy(trustedFiles(settings), ([file]) => file);
  const trusted: object[] = [];
  const unused = new Set(lines);
  const carried = new Set<Place>();
  for (const [file, named] of files) {
    const line = lineOf(file, lines, [...files.keys()]);
    if (line !== undefined) unused.delete(line);
    const entry = await trustedKey(named[0]?.[1], file, line);
    trusted.push(...entry);
    for (const [, setting] of entry.length === 0 ? [] : named) carried.add(setting);
  }
  for (const setting of carried) setting.carried(KEY);
  trusted.push(...settings.take('public_key').flatMap(keyOfVariable));
  if (trusted.length > 0) settings.plan.set(KEY, trusted);
  for (const { place } of unused) {
    place.report`The key is not trusted, so its line was skipped before as well.`;
  }
}

/** A line of a file that gives keys their namespaces. */
interface KeyLine {
  readonly place: Place;
  /** Path of the key as written. */
  readonly path: string;
  /** Path of the key file here; null when it is missing. */
  readonly here: string | null;
  /** Names with commas; empty where the line has none. */
  readonly namespaces: string;
}

/** Lines of the files, each file once, however many services name it. */
function keyLines(settings: readonly Place[]): readonly KeyLine[] {
  const files = new Map<string, Place>();
  for (const setting of settings) {
    const file = setting.read();
    if (file === null) continue;
    setting.carried(KEY);
    files.set(file.file, file);
  }
  return [...files.values()].flatMap(linesIn).flatMap((place): readonly KeyLine[] => {
    const [path = '', name, , namespaces = ''] = place.plan.checks.csvCells(place.text) ?? [];
    if (name === undefined || path === '') {
      return place.report`It is no line for a key. | write keyfile,name,"groups","namespaces"`;
    }
    return [{ place, path, here: place.find(path), namespaces }];
  });
}

/** The line of a key, found by its path, or by its name alone if that is unique. */
function lineOf(file: string, lines: readonly KeyLine[], files: readonly string[]) {
  const byPath = lines.find(({ here }) => here !== null && resolve(here) === resolve(file));
  const isNamed = (path: string) => basename(path) === basename(file);
  const named = lines.filter(({ here, path }) => here === null && isNamed(path));
  const isOnly = named.length === 1 && files.filter(isNamed).length === 1;
  return byPath ?? (isOnly ? named[0] : undefined);
}

/** Keys that every outer service trusts. One that only some trust is left out: its tokens would reach all of this server. */
function trustedFiles(settings: Settings): readonly (readonly [file: string, setting: Place])[] {
  const all = settings.take('trusted_authorities');
  const outer = all.filter(({ service }) => isService(service));
  // Inner services were never called with tokens of users.
  const authorities = outer.length > 0 ? outer : all;
  for (const setting of all.filter((each) => !authorities.includes(each))) {
    setting.report`Nobody calls this service from outside.`;
  }
  const named = authorities.map((setting) => {
    const paths = namesOf(setting.value) ?? setting.report`It is no list of files. | ${MEND}`;
    return { setting, paths };
  });
  const isCommon = (path: string) => named.every(({ paths }) => paths.includes(path));
  const common = named.map(({ setting, paths }) => {
    for (const path of paths.filter((each) => !isCommon(each))) {
      setting.report`${path} is trusted by some services alone, and its tokens would reach all of this server. | add it to auth.trustedKeys if they may, or make tokens for its users: "tutti tokens create --subject NAME --resources LIST"`;
    }
    return { setting, paths: paths.filter(isCommon) };
  });
  const ofVariables = settings.take(({ name }) => /^trustedkeys_paths?$/.test(name));
  const directories = ofVariables.map((setting) => {
    return { setting, paths: setting.text.split(/[,:]/).filter(Boolean) };
  });
  return [...common, ...directories].flatMap(({ setting, paths }) =>
    paths.flatMap((path) => setting.files(path).map((file) => [file, setting] as const)),
  );
}

/** An entry of `auth.trustedKeys`; none for a key that is left out, which is reported. */
async function trustedKey(setting: Place | undefined, file: string, line: KeyLine | undefined) {
  if (setting === undefined) return [];
  const { plan } = setting;
  const { text, problem } = readText(file);
  const why = problem === null ? await plan.checks.problemOfKeyFile(file) : `${file} ${problem}.`;
  if (why !== null) return setting.leftOut(why, adviceForKey(text, file));
  const namespaces = line?.namespaces
    ? namespacesOf(line)
    : reportDefault(line?.place ?? setting, file);
  return namespaces === '' ? [] : [{ path: plan.addFile(`keys/${file}`, text), namespaces }];
}

function adviceForKey(text: string, file: string): string {
  if (/PRIVATE KEY-----/.test(text)) return 'a private key is not needed to trust its tokens';
  const isOther = /^(?:ssh|ecdsa)-/.test(text);
  return isOther
    ? `"ssh-keygen -e -m PKCS8 -f ${file}" writes it as one`
    : 'take the public key in PEM form';
}

/** Names with commas; empty if none is usable. */
function namespacesOf({ place, namespaces }: KeyLine): string {
  const names = namespaces.split(',').map((name) => name.trim());
  const known = names.filter((name) => name === '*' || new RegExp(NAMESPACE_NAME).test(name));
  const wrong = names.filter((name) => !known.includes(name)).join(', ');
  if (known.length === names.length) place.carried(KEY);
  else
    place.report`"${wrong}" is no name of a namespace here. | take small letters, digits and -, or * for all`;
  return known.includes('*') ? '*' : known.join(',');
}

/** The key in the value of a variable. */
function keyOfVariable(setting: Place): readonly object[] {
  const text = setting.text.replaceAll('\\n', '\n');
  if (!/^-----BEGIN [A-Z ]*PUBLIC KEY-----/.test(text)) {
    return setting.report`It is no public key in PEM form. | ${adviceForKey(text, 'FILE')}`;
  }
  const path = setting.plan.addFile('keys/public-key.pem', `${text}\n`);
  return [{ path, namespaces: reportDefault(setting, 'it') }];
}

/** These files are in the form of existing servers. Their tokens are no JWTs. */
export function importAccessFiles(settings: Settings): void {
  const [tokens] = settings.take('token_auth_file');
  const [policies] = settings.take('authorization_policy_file');
  const isInForce = importModes(settings);
  if (isInForce && tokens !== undefined && policies !== undefined) {
    copyAccessFiles(tokens, policies);
    return;
  }
  for (const setting of [tokens, policies].filter((each) => each !== undefined)) {
    if (isInForce)
      setting.report`Tokens and policies say nothing without each other. | name both files`;
    else
      setting.report`No authorization mode names ABAC, so it was not in force, and would allow here what was not allowed. | add --authorization-mode ABAC,JWT if it was`;
  }
}

/** True if the existing services checked permissions by these files. */
function importModes(settings: Settings): boolean {
  const modes = settings.take('authorization_mode').map((setting) => {
    const names = (namesOf(setting.value) ?? []).map((name) => name.toUpperCase());
    if (names.includes('RBAC'))
      setting.report`There are no roles here. | write what each may do as policies, or make tokens with "tutti tokens create --subject NAME --resources LIST --verbs LIST"`;
    else setting.report`Tokens are always checked, and files count where they are named.`;
    return names;
  });
  return modes.flat().includes('ABAC');
}

function copyAccessFiles(tokens: Place, policies: Place): void {
  const { plan } = tokens;
  const seen = new Set<string>();
  const tokenLines = usableLines(tokens, (text) => {
    const [token = ''] = plan.checks.csvCells(text) ?? [];
    const again = seen.has(token) ? 'the token of a line before again' : null;
    seen.add(token);
    return plan.checks.problemOfToken(text) ?? again;
  });
  const policyLines = usableLines(policies, (text) =>
    plan.checks.problemOfPolicy(text, DEFAULT_API_GROUP),
  );
  if (tokenLines === null || policyLines === null) return;
  tokens.carry('auth.tokenFile', plan.addFile('access/tokens.csv', tokenLines, true));
  policies.carry('auth.policyFile', plan.addFile('access/policies.jsonl', policyLines));
}

/** Valid lines of the file, with its comments, which may explain the tokens; null without a file. */
function usableLines(setting: Place, problemOf: (text: string) => string | null): string | null {
  const file = setting.read();
  if (file === null) return null;
  const wrong = new Set<string>();
  for (const line of linesIn(file)) {
    const why = problemOf(line.text);
    if (why === null) continue;
    wrong.add(line.name);
    line.report`It is not understood: ${why}. | ${MEND}`;
  }
  const lines = String(file.value)
    .replace(/^\uFEFF/, '')
    .split('\n');
  return lines.filter((_, index) => !wrong.has(`line ${index + 1}`)).join('\n');
}

/** Lines of a file, without its comments. */
const linesIn = (file: Place): readonly Place[] =>
  file.plan.checks
    .accessLines(String(file.value))
    .map(({ line, text }) => file.at(`line ${line}`, text));
