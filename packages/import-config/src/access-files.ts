/** Files of tokens that are no JWT, and of policies: in the form that existing servers read, copied line by line. */
import { DEFAULT_API_GROUP } from '@tutti/manifests';
import { namesOf } from '@tutti/manifests/values';
import type { ImportPlan } from './import-plan.ts';
import { MEND } from './known-form.ts';
import type { Setting, Settings } from './settings.ts';

const HALF = 'Tokens and policies say nothing without each other.';
const NOT_IN_FORCE =
  'No authorization mode names ABAC, so it was not in force, and would allow here what was not allowed.';
const ROLES =
  'write what each may do as policies, or make tokens with "tutti tokens create --subject NAME --resources LIST --verbs LIST"';

export function importAccessFiles(settings: Settings, plan: ImportPlan): void {
  const [tokens] = settings.named('token_auth_file');
  const [policies] = settings.named('authorization_policy_file');
  const isInForce = importMode(settings, plan);
  if (isInForce && tokens !== undefined && policies !== undefined) {
    copyFiles(tokens, policies, plan);
    return;
  }
  for (const setting of [tokens, policies].filter((each) => each !== undefined)) {
    if (isInForce) plan.leftOut(setting, HALF, 'name both files');
    else plan.leftOut(setting, NOT_IN_FORCE, 'add --authorization-mode ABAC,JWT if it was');
  }
}

function copyFiles(tokens: Setting, policies: Setting, plan: ImportPlan): void {
  const tokenLines = linesOf(tokens, tokenCheck(plan), plan);
  const policyLines = linesOf(
    policies,
    (text) => plan.checks.problemOfPolicy(text, DEFAULT_API_GROUP),
    plan,
  );
  if (tokenLines === null || policyLines === null) return;
  plan.carry(tokens, 'auth.tokenFile', plan.addFile('access/tokens.csv', tokenLines, true));
  plan.carry(policies, 'auth.policyFile', plan.addFile('access/policies.jsonl', policyLines));
}

type LineCheck = (text: string) => string | null;

/** Of all lines, in their order: none may have the token of one before. */
function tokenCheck({ checks }: ImportPlan): LineCheck {
  const seen = new Set<string>();
  return (text) => {
    const [token = ''] = checks.csvCells(text) ?? [];
    const isAgain = seen.has(token);
    seen.add(token);
    return checks.problemOfToken(text) ?? (isAgain ? 'the token of a line before again' : null);
  };
}

/** Whether permissions were checked by the files. */
function importMode(settings: Settings, plan: ImportPlan): boolean {
  let isInForce = false;
  for (const setting of settings.named('authorization_mode')) {
    const modes = (namesOf(setting.value) ?? []).map((name) => name.toUpperCase());
    isInForce ||= modes.includes('ABAC');
    if (modes.includes('RBAC')) plan.leftOut(setting, 'There are no roles here.', ROLES);
    else plan.unneeded(setting, 'Tokens are always checked, and files count where they are named.');
  }
  return isInForce;
}

/** The lines that this server takes, with comments, which may tell who is who; null when there is no file. */
function linesOf(setting: Setting, problemOf: LineCheck, plan: ImportPlan): string | null {
  const named = plan.readNamed(setting);
  if (named === null) return null;
  const wrong = new Set<number>();
  for (const { line, text } of plan.checks.accessLines(named.text)) {
    const why = problemOf(text);
    if (why === null) continue;
    wrong.add(line);
    plan.leftOut({ file: named.file, key: `line ${line}` }, `It is not understood: ${why}.`, MEND);
  }
  const lines = named.text.replace(/^\uFEFF/, '').split('\n');
  return lines.filter((_, index) => !wrong.has(index + 1)).join('\n');
}
