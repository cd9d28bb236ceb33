/** Files of tokens that are no JWT, and of policies: in the form that existing servers read, copied line by line. */
import { DEFAULT_API_GROUP } from '@tutti/manifests';
import type { Origin } from './import-plan.ts';
import { MEND } from './known-form.ts';
import type { Setting, Settings } from './settings.ts';
import { type AccessDeps, readNamedFile } from './trusted-keys.ts';
import { namesOf } from './values.ts';

export function importAccessFiles(settings: Settings, deps: AccessDeps): void {
  const { plan } = deps;
  const [tokens] = settings.named('token_auth_file');
  const [policies] = settings.named('authorization_policy_file');
  const isInForce = importMode(settings, deps);
  if (tokens === undefined && policies === undefined) return;
  for (const [one, other] of [
    [tokens, policies],
    [policies, tokens],
  ]) {
    if (one === undefined || (isInForce && other !== undefined)) continue;
    if (isInForce) plan.leftOut(one, HALF, 'name both files');
    else plan.leftOut(one, NOT_IN_FORCE, 'add --authorization-mode ABAC,JWT if it was');
  }
  if (!isInForce || tokens === undefined || policies === undefined) return;
  const tokenLines = linesOf(tokens, tokenCheck(deps), deps);
  const policyLines = linesOf(policies, policyCheck(deps), deps);
  if (tokenLines === null || policyLines === null) return;
  plan.set('auth.tokenFile', plan.addFile('access/tokens.csv', tokenLines, true));
  plan.set('auth.policyFile', plan.addFile('access/policies.jsonl', policyLines));
  plan.carried(tokens, 'auth.tokenFile');
  plan.carried(policies, 'auth.policyFile');
}

const HALF = 'Tokens and policies say nothing without each other.';
const NOT_IN_FORCE =
  'No authorization mode names ABAC, so it was not in force, and would allow here what was not allowed.';

type LineCheck = (text: string) => string | null;

const policyCheck =
  ({ checks }: AccessDeps): LineCheck =>
  (text) =>
    checks.problemOfPolicy(text, DEFAULT_API_GROUP);

/** Of all lines, in their order: none may have the token of one before. */
function tokenCheck({ checks }: AccessDeps): LineCheck {
  const seen = new Set<string>();
  return (text) => {
    const why = checks.problemOfToken(text);
    const [token = ''] = checks.csvCells(text) ?? [];
    const isAgain = seen.has(token);
    seen.add(token);
    return why ?? (isAgain ? 'the token of a line before again' : null);
  };
}

/** Whether permissions were checked by the files. */
function importMode(settings: Settings, { plan }: AccessDeps): boolean {
  const modes = settings.named('authorization_mode');
  for (const setting of modes) {
    const names = modesOf(setting);
    if (names.includes('RBAC')) {
      plan.leftOut(
        setting,
        'There are no roles here.',
        'write what each may do as policies, or make tokens with "tutti tokens create --subject NAME --resources LIST --verbs LIST"',
      );
    } else
      plan.unneeded(setting, 'Tokens are always checked, and files count where they are named.');
  }
  return modes.some((setting) => modesOf(setting).includes('ABAC'));
}

const modesOf = ({ value }: Setting): readonly string[] =>
  (namesOf(value) ?? []).map((name) => name.toUpperCase());

/** The lines that this server takes, with comments, which may tell who is who; null when there is no file. */
function linesOf(setting: Setting, problemOf: LineCheck, deps: AccessDeps): string | null {
  const named = readNamedFile(setting, deps);
  if (named === null) return null;
  const {
    plan,
    checks: { accessLines },
  } = deps;
  const { file, text: content } = named;
  const wrong = new Set<number>();
  for (const { line, text } of accessLines(content)) {
    const why = problemOf(text);
    if (why === null) continue;
    wrong.add(line);
    const origin: Origin = { file, key: `line ${line}` };
    plan.leftOut(origin, `It is not understood: ${why}.`, MEND);
  }
  const lines = content.replace(/^\uFEFF/, '').split('\n');
  return lines.filter((_, index) => !wrong.has(index + 1)).join('\n');
}
