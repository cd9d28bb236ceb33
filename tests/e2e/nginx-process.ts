/** A real nginx with the configuration that a document shows. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { inPath, installedProgram } from '../support/debian-program.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';

const CONFIG_FOLDER = '/etc/nginx/';
/** Address of the server in the document. */
const UPSTREAM = '127.0.0.1:7700';

/** The program; null, after a word about it, where there is none and none can be installed. */
export function findNginx(): string | null {
  const found = inPath('nginx') ?? installedProgram('nginx', ['nginx-light', 'openssl']);
  if (found === null || inPath('openssl') === null) {
    process.stderr.write(
      'SKIPPED: there is no nginx, or no openssl, so nobody tested docs/operate/reverse-proxy.md.\n',
    );
    return null;
  }
  return found;
}

export interface Certificate {
  readonly file: string;
  readonly keyFile: string;
}

/** A certificate for `localhost` that nobody signed but its own key. */
export function makeCertificate(folder: string): Certificate {
  const [file, keyFile] = [join(folder, 'tutti.crt'), join(folder, 'tutti.key')];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const files = ['-days', '2', '-out', file, '-keyout', keyFile];
  execFileSync('openssl', ['req', ...kind, ...names, ...files], { stdio: 'pipe' });
  return { file, keyFile };
}

export interface NginxOptions {
  readonly program: string;
  readonly folder: string;
  /** Configuration files, each with its path in its first line as a comment. */
  readonly blocks: readonly string[];
  /** Address of the server, as `host:port`. */
  readonly upstream: string;
  readonly certificate: Certificate;
}

export interface Nginx {
  /** The port that is there for one of the document; files may name the same one. */
  port(file: string, documented: number): number;
  stop(): Promise<void>;
}

export async function startNginx(options: NginxOptions): Promise<Nginx> {
  const ports = new Map<string, number>();
  for (const block of options.blocks) {
    for (const [, port = ''] of block.matchAll(/^\s*listen (\d+)/gm)) {
      ports.set(`${nameOf(block)}:${port}`, await freePort());
    }
  }
  for (const block of options.blocks) await writeBlock(options, block, ports);
  await writeFile(join(options.folder, 'nginx.conf'), frame(options.folder));
  const stop = run(options);
  try {
    for (const port of ports.values())
      await eventually(`nginx on port ${port}`, () => answers(port));
  } catch (error) {
    await stop();
    throw error;
  }
  return { port: (file, documented) => ports.get(`${file}:${documented}`) ?? 0, stop };
}

/** The path of a block below the folder of the configuration. */
function nameOf(block: string): string {
  const [, path] = /^# (\S+)\n/.exec(block) ?? [];
  if (!path?.startsWith(CONFIG_FOLDER)) throw new Error(`No path: ${block.slice(0, 80)}`);
  return path.slice(CONFIG_FOLDER.length);
}

async function writeBlock(
  { folder, upstream, certificate }: NginxOptions,
  block: string,
  ports: ReadonlyMap<string, number>,
): Promise<void> {
  const name = nameOf(block);
  const text = block
    .replaceAll(
      /^(\s*listen )(\d+)/gm,
      (_, listen, port) => `${listen}${ports.get(`${name}:${port}`)}`,
    )
    .replaceAll(UPSTREAM, upstream)
    .replaceAll(/\/etc\/nginx\/tls\/\S+\.crt/g, certificate.file)
    .replaceAll(/\/etc\/nginx\/tls\/\S+\.key/g, certificate.keyFile);
  await mkdir(dirname(join(folder, name)), { recursive: true });
  await writeFile(join(folder, name), text);
}

/** The main configuration of an nginx package, with nothing outside of the folder. */
function frame(folder: string): string {
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const temporary = kinds.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join('\n');
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  return `${user}
daemon off;
worker_processes 2;
pid ${folder}/nginx.pid;
error_log stderr warn;
events {}
http {
  access_log off;
  ${temporary}
  include ${folder}/conf.d/*.conf;
}
`;
}

function run({ program, folder }: NginxOptions): () => Promise<void> {
  const args = ['-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf')];
  const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  const gone = once(child, 'exit');
  return async () => {
    child.kill('SIGTERM');
    await gone;
  };
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const report = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => report(true)).once('error', () => report(false));
  });
}
