/** Imports token files and policy files in the form of existing servers, line by line. These tokens are no JWTs. */
import { DEFAULT_API_GROUP } from '@tutti/manifests';
import { namesOf } from '@tutti/manifests/values';
import type { ImportPlan } from './import-plan.ts';
import { MEND, Origin } from './origin.ts';
import type { Setting, Settings } from './settings.ts';

const HALF = 'Tokens and policies say nothing without each other.';
const NOT_IN_FORCE =
  'No authorization mode names ABAC, so it was not in force, and would allow here what was not allowed.';
const ROLES =
  'write what each may do as policies, or make tokens with "tutti tokens create --subject NAME --resources LIST --verbs LIST"';

export function importAccessFiles(settings: Settings): void {
  const [tokens] = settings.named('token_auth_file');
  const [policies] = settings.named('authorization_policy_file');
  const isInForce = importMode(settings);
  if (isInForce && tokens !== undefined && policies !== undefined) {
    copyFiles(tokens, policies);
    return;
  }
  for (const setting of [tokens, policies].filter((each) => each !== undefined)) {
    if (isInForce) setting.leftOut(HALF, 'name both files');
    else setting.leftOut(NOT_IN_FORCE, 'add --authorization-mode ABAC,JWT if it was');
  }
}

function copyFiles(tokens: Setting, policies: Setting): void {
  const { plan } = tokens;
  const policyProblem = (text: string) => plan.checks.problemOfPolicy(text, DEFAULT_API_GROUP);
  const tokenLines = linesOf(tokens, tokenCheck(plan));
  const policyLines = linesOf(policies, policyProblem);
  if (tokenLines === null || policyLines === null) return;
  tokens.carry('auth.tokenFile', plan.addFile('access/tokens.csv', tokenLines, true));
  policies.carry('auth.policyFile', plan.addFile('access/policies.jsonl', policyLines));
}

type LineCheck = (text: string) => string | null;

/** Checks all lines in their order. No line may have the token of an earlier one. */
function tokenCheck({ checks }: ImportPlan): LineCheck {
  const seen = new Set<string>();
  return (text) => {
    const [token = ''] = checks.csvCells(text) ?? [];
    const isAgain = seen.has(token);
    seen.add(token);
    return checks.problemOfToken(text) ?? (isAgain ? 'the token of a line before again' : null);
  };
}

/** True if the existing services checked permissions by these files. */
function importMode(settings: Settings): boolean {
  let isInForce = false;
  for (const setting of settings.named('authorization_mode')) {
    const modes = (namesOf(setting.value) ?? []).map((name) => name.toUpperCase());
    isInForce ||= modes.includes('ABAC');
    if (modes.includes('RBAC')) setting.leftOut('There are no roles here.', ROLES);
    else setting.unneeded('Tokens are always checked, and files count where they are named.');
  }
  return isInForce;
}

/** Valid lines of the file, with its comments, which may explain the tokens; null without a file. */
function linesOf(setting: Setting, problemOf: LineCheck): string | null {
  const { plan } = setting;
  const named = setting.read();
  if (named === null) return null;
  const wrong = new Set<number>();
  for (const { line, text } of plan.checks.accessLines(named.text)) {
    const why = problemOf(text);
    if (why === null) continue;
    wrong.add(line);
    new Origin(plan, named.file, `line ${line}`).leftOut(`It is not understood: ${why}.`, MEND);
  }
  const lines = named.text.replace(/^\uFEFF/, '').split('\n');
  return lines.filter((_, index) => !wrong.has(index + 1)).join('\n');
}
