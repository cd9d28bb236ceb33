/**
 * Tokens that are no JWT: a file of lines `token,user,uid,"group1,group2"` (wire facts 8.3). The policy file has the rights of their users.
 */
import { createHash } from 'node:crypto';
import { accessLines, csvCells } from './access-lines.ts';
import { refuseProblems } from './file-problem.ts';

export interface StaticUser {
  /** The second column: who has the token. */
  readonly name: string;
  /** Name of the user in policies and refusals. */
  readonly uid: string;
  readonly groups: ReadonlySet<string>;
}

/** Users by the digest of their token. With digests, a nearly right guess takes as long as any other. */
export type StaticTokens = ReadonlyMap<string, StaticUser>;

export const NO_TOKENS: StaticTokens = new Map();

export function findUser(tokens: StaticTokens, token: string): StaticUser | null {
  return tokens.size === 0 ? null : (tokens.get(digestOf(token)) ?? null);
}

const digestOf = (token: string): string => createHash('sha256').update(token).digest('base64url');

/** Parses a file of tokens. Throws `Invalid`, with the file and each wrong line. */
export function parseTokenFile(content: string, file: string): StaticTokens {
  const tokens = new Map<string, StaticUser>();
  const lines = new Map<string, number>();
  const problems: string[] = [];
  for (const { line, text } of accessLines(content)) {
    const cells = csvCells(text);
    const why = problemOf(cells);
    const [token = '', name = '', uid = '', groups = ''] = cells ?? [];
    const digest = digestOf(token);
    const before = lines.get(digest);
    if (why !== null) problems.push(`line ${line}: ${why}`);
    else if (before !== undefined) problems.push(`line ${line}: the token of line ${before} again`);
    else tokens.set(digest, { name, uid, groups: namesOf(groups) });
    lines.set(digest, line);
  }
  refuseProblems('token file', file, problems);
  return tokens;
}

/** The mistake in a line of a token file, without the token; null when there is none. */
export const problemOfToken = (text: string): string | null => problemOf(csvCells(text));

const FORM = 'write token,user,uid,"group1,group2"';

function problemOf(cells: readonly string[] | null): string | null {
  if (cells === null) return `a quote is not closed; ${FORM}`;
  const [token = '', , uid = ''] = cells;
  if (cells.length < 3) return `${cells.length} of 3 columns; ${FORM}`;
  if (cells.length > 4) return `${cells.length} columns; ${FORM}, with the groups in quotes`;
  if (token === '' || uid === '') return `the token or the uid is empty; ${FORM}`;
  return /\s/.test(token) ? 'a token has no blanks' : null;
}

function namesOf(list: string): ReadonlySet<string> {
  const names = list.split(',').map((name) => name.trim());
  return new Set(names.filter((name) => name !== ''));
}
