/**
 * Git repositories served over HTTP like by a hosting service. A user and password are optional; a gate holds fetches until the
 * test opens it.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';

/** Files of a repository: content by path; content that begins with `->` is a link to the rest. */
export type Files = Readonly<Record<string, string>>;

export class GitRepositories {
  readonly #folder: string;
  readonly #server: Server;
  /** Requests that wait while the gate is closed. */
  #held: (() => void)[] | null = null;
  /** Required user and password by the path of a request. */
  readonly #passwords = new Map<string, string>();

  private constructor(folder: string) {
    this.#folder = folder;
    this.#server = createServer((request, response) => this.#answer(request, response));
  }

  /** `folder` must not exist; it stays. */
  static async open(folder: string): Promise<GitRepositories> {
    mkdirSync(folder);
    const repositories = new GitRepositories(folder);
    await new Promise<void>((resolve) => {
      repositories.#server.listen(0, '127.0.0.1', resolve);
    });
    return repositories;
  }

  get url(): string {
    // The server listens on a port.
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  get heldCount(): number {
    return this.#held?.length ?? 0;
  }

  /** Makes a repository, or its next commit, of these files; returns the commit. */
  commit(name: string, files: Files, tag?: string): string {
    const folder = join(this.#folder, name);
    if (!this.#isKnown(name)) {
      execFileSync('git', ['init', '--quiet', '--initial-branch=main', folder]);
      git(folder, 'config', 'uploadpack.allowFilter', 'true');
    }
    for (const [path, content] of Object.entries(files)) writeFile(join(folder, path), content);
    git(folder, 'add', '--all');
    git(folder, 'commit', '--quiet', '--allow-empty', '-m', 'a commit');
    if (tag !== undefined) git(folder, 'tag', '-a', '-m', tag, tag);
    return git(folder, 'rev-parse', 'HEAD');
  }

  branch(name: string, branch: string): void {
    git(join(this.#folder, name), 'branch', branch);
  }

  /** From now on `user:password` is asked for. */
  protect(name: string, credentials: string): void {
    this.#passwords.set(name, credentials);
  }

  close(): void {
    this.#held = [];
  }

  letGo(): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const answer of held) answer();
  }

  async end(): Promise<void> {
    this.letGo();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #isKnown(name: string): boolean {
    try {
      git(join(this.#folder, name), 'rev-parse', '--git-dir');
      return true;
    } catch {
      return false;
    }
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { pathname } = new URL(request.url ?? '/', this.url);
    const wanted = this.#passwords.get(pathname.split('/')[1]?.replace(/\.git$/, '') ?? '');
    const given = Buffer.from(
      request.headers.authorization?.slice('Basic '.length) ?? '',
      'base64',
    );
    if (wanted !== undefined && given.toString() !== wanted) {
      response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="git"' }).end();
      return;
    }
    const answer = () => this.#run(request, response);
    if (this.#held === null) answer();
    else this.#held.push(answer);
  }

  /** The program of git that speaks the gateway interface of web servers. */
  #run(request: IncomingMessage, response: ServerResponse): void {
    const { pathname, search } = new URL(request.url ?? '/', this.url);
    const { 'content-type': type = '', 'git-protocol': protocol = '' } = request.headers;
    const child = spawn('git', ['http-backend'], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: {
        PATH: process.env.PATH ?? '',
        GIT_PROJECT_ROOT: this.#folder,
        GIT_HTTP_EXPORT_ALL: '1',
        GIT_PROTOCOL: String(protocol),
        PATH_INFO: pathname.replace(/^(\/[^/]+?)\.git\//, '$1/.git/'),
        QUERY_STRING: search.slice(1),
        REQUEST_METHOD: request.method ?? 'GET',
        CONTENT_TYPE: type,
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      },
    });
    request.pipe(child.stdin).on('error', () => undefined);
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('close', () => send(response, Buffer.concat(chunks)));
  }
}

function send(response: ServerResponse, output: Buffer): void {
  const end = output.indexOf('\r\n\r\n');
  const lines = output.subarray(0, Math.max(0, end)).toString().split('\r\n');
  const headers = new Map(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  );
  const status = Number.parseInt(headers.get('Status') ?? '200', 10);
  headers.delete('Status');
  response.writeHead(status, Object.fromEntries(headers)).end(output.subarray(end + 4));
}

function writeFile(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  rmSync(path, { force: true });
  if (content.startsWith('->')) symlinkSync(content.slice('->'.length), path);
  else writeFileSync(path, content);
}

function git(folder: string, ...words: readonly string[]): string {
  const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.org'];
  return execFileSync('git', ['-C', folder, ...identity, ...words], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: process.env.PATH ?? '', GIT_CEILING_DIRECTORIES: dirname(folder) },
  }).trim();
}
