/** The place of a verdict at GitLab: from `--plugin gitlab:name=value`, else from variables of GitLab CI (client facts 3.6). */

import { type GitlabParameters, HOW_TO_WRITE } from '../options/plugin-option.ts';
import type { Io } from '../terminal/io.ts';
import { UsageError } from '../terminal/problem.ts';

export interface GitlabPlace {
  /** Without a slash at its end. */
  readonly server: string;
  /** Id, or path. */
  readonly project: string;
  readonly target: { readonly kind: 'merge_requests' | 'issues'; readonly iid: string };
  readonly token: string;
  /** Notes on earlier verdicts of the gate stay. */
  readonly keepsHistory: boolean;
  /** Text before the colons of the label; null for no label. */
  readonly labelPrefix: string | null;
  readonly hasCats: boolean;
  /** File of the authority's certificate for the server; null for the usual authorities. */
  readonly caFile: string | null;
}

/** The place of a requested plugin; a missing place is reported. */
export function placeFor(
  given: GitlabParameters | undefined,
  io: Pick<Io, 'env' | 'complain'>,
): GitlabPlace | null {
  if (given === undefined) return null;
  const place = gitlabPlace(given, io.env);
  if (place === null) {
    io.complain(
      'tutti: This job of GitLab CI has no merge request, so nothing is posted to GitLab.\n',
    );
  }
  return place;
}

/** Null without a place: in a GitLab pipeline without a merge request. Throws `UsageError` for wrong or missing values. */
export function gitlabPlace(given: GitlabParameters, env: Io['env']): GitlabPlace | null {
  const target = targetOf(given, env);
  if (target === null) return null;
  const server = serverOf(required('server', given.server, env.CI_SERVER_URL));
  const ofRequest = target.kind === 'issues' ? undefined : env.CI_MERGE_REQUEST_PROJECT_ID;
  const label = textOf(given.label);
  return {
    server,
    project: required('project', given.project, ofRequest, env.CI_PROJECT_ID),
    target,
    token: tokenOf(given, env),
    keepsHistory: flagOf('keep-history', given),
    labelPrefix: label === 'default' ? 'QualityGate' : (label ?? null),
    hasCats: flagOf('cats', given),
    caFile: isOfJob(server, env) ? (textOf(env.CI_SERVER_TLS_CA_FILE) ?? null) : null,
  };
}

const isOfJob = (server: string, { CI_SERVER_URL: url = '' }: Io['env']): boolean =>
  URL.parse(url)?.href.replace(/\/+$/, '') === server;

const textOf = (text: string | undefined): string | undefined => (text === '' ? undefined : text);

function targetOf(given: GitlabParameters, env: Io['env']): GitlabPlace['target'] | null {
  const [mr, issue] = [textOf(given.mr), textOf(given.issue)];
  if (mr !== undefined && issue !== undefined) {
    throw new UsageError(
      '--plugin names a merge request and an issue, and a verdict goes to one of them.',
      'leave gitlab:mr or gitlab:issue out.',
    );
  }
  if (issue !== undefined) return { kind: 'issues', iid: numberOf('issue', issue) };
  const iid = mr ?? textOf(env.CI_MERGE_REQUEST_IID);
  if (iid !== undefined) return { kind: 'merge_requests', iid: numberOf('mr', iid) };
  if (textOf(env.GITLAB_CI) !== undefined) return null;
  throw missing('mr or gitlab:issue');
}

function numberOf(name: string, text: string): string {
  if (/^[1-9]\d{0,15}$/.test(text)) return text;
  throw new UsageError(
    `gitlab:${name} is a number, as GitLab shows it behind ! or #.`,
    HOW_TO_WRITE,
  );
}

function required(name: string, ...values: readonly (string | undefined)[]): string {
  const found = values.find((value) => textOf(value) !== undefined);
  if (found === undefined) throw missing(name);
  return found;
}

const missing = (name: string): UsageError =>
  new UsageError(
    `--plugin does not say gitlab:${name}, and this is no job of GitLab CI, which would.`,
    'add it; with gitlab:server, gitlab:project and gitlab:mr or gitlab:issue, the verdict can be posted from anywhere.',
  );

/** The normalized address; a path is kept, as GitLab may be below one. */
function serverOf(text: string): string {
  const url = URL.parse(text);
  const isPlain = url !== null && `${url.username}${url.password}${url.search}${url.hash}` === '';
  if (isPlain && (url.protocol === 'https:' || url.protocol === 'http:')) {
    return url.href.replace(/\/+$/, '');
  }
  throw new UsageError(
    'gitlab:server is no address of a server.',
    'write it like https://gitlab.example.com, without a name, a password or a query.',
  );
}

function tokenOf(given: GitlabParameters, { GITLAB_TOKEN }: Io['env']): string {
  const token = textOf(given.token) ?? textOf(GITLAB_TOKEN);
  if (token === undefined) {
    throw new UsageError(
      'There is no token for GitLab.',
      'set GITLAB_TOKEN to a token of the project or of a user that may write notes (scope api), as a masked variable; gitlab:token=TOKEN names one, too, but others on the machine can see it.',
    );
  }
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new UsageError(
    'The token for GitLab has characters that no token has.',
    'name a token and nothing else: no line end, and no spaces.',
  );
}

function flagOf(name: string, given: GitlabParameters): boolean {
  const text = textOf(given[name])?.toLowerCase() ?? 'false';
  if (text === 'true' || text === 'false') return text === 'true';
  throw new UsageError(`gitlab:${name} is true or false.`, `write gitlab:${name}=true.`);
}
