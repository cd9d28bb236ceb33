/** The git repository that a folder is in, without calling git. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';

export interface Remote {
  /** Without credentials. */
  readonly url: string;
  /** The folder in the repository, with `/` between its parts; empty for its root. */
  readonly path: string;
}

/** Limit in bytes. */
const CONFIG_MAX = 1024 * 1024;

/** Null without a repository, and without a remote "origin" that other machines may reach. */
export function remoteOf(directory: string): Remote | null {
  const from = resolve(directory);
  const root = rootOf(from);
  const url = root === null ? null : originOf(join(root, '.git/config'));
  if (root === null || url === null) return null;
  const path = relative(root, from).split(sep).join('/');
  // Expressions in the workflow would be evaluated.
  return `${url}${path}`.includes('${{') ? null : { url, path };
}

function rootOf(directory: string): string | null {
  if (existsSync(join(directory, '.git'))) return directory;
  const above = dirname(directory);
  return above === directory ? null : rootOf(above);
}

function originOf(file: string): string | null {
  try {
    if (statSync(file).size > CONFIG_MAX) return null;
    const section = /^\[remote "origin"\]\s*$([^[]*)/m.exec(readFileSync(file, 'utf8'))?.[1];
    const url = /^\s*url\s*=\s*"?([^\s"]+)"?\s*$/m.exec(section ?? '')?.[1];
    return url === undefined ? null : shared(url);
  } catch {
    return null;
  }
}

/** An address of ssh, without a scheme. */
const SSH = /^[\w.-]+@[\w.-]+:[\w./~-]+$/;

/** A path is on this machine alone. */
function shared(url: string): string | null {
  if (SSH.test(url)) return url;
  if (!URL.canParse(url)) return null;
  const parsed = new URL(url);
  if (!['https:', 'http:', 'ssh:', 'git:', 'file:'].includes(parsed.protocol)) return null;
  // The user of ssh is part of the address; that of a web address may be a token.
  if (parsed.protocol !== 'ssh:') parsed.username = '';
  parsed.password = '';
  parsed.search = '';
  return parsed.href;
}
