/** A container engine for `opentf-ready`, at a socket. It has one container that the test makes ready bit by bit. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { promisify } from 'node:util';
import type { TestContext } from 'vitest';

/** As an image of an orchestrator has it, at `/app/init_services.json`. */
export interface InitServices {
  readonly services: readonly string[];
  readonly checksum: string;
}

/** The checksum is made of the names, one after the other. */
export function initServices(services: readonly string[]): InitServices {
  const names = Buffer.from(services.join('')).toString('base64');
  return { services, checksum: createHash('sha256').update(names).digest('hex') };
}

export interface ContainerEngine {
  /** Where programs look for it: `DOCKER_HOST`. */
  readonly host: string;
  /** The paths that were asked for. */
  readonly asked: readonly string[];
  /** The container runs from now on. */
  run(): void;
  /** It has the file from now on. */
  place(content: InitServices): Promise<void>;
}

const FILE = 'init_services.json';
const RAW = { encoding: 'buffer' } as const;
const runFile = promisify(execFile);

/** An engine with a container of that id, which has been created. `folder` is new. */
export async function openEngine(
  container: string,
  folder: string,
  { onTestFinished }: TestContext,
): Promise<ContainerEngine> {
  await mkdir(folder);
  const state = { Status: 'created' };
  let archive: Buffer | null = null;
  const asked: string[] = [];
  const answers: Readonly<Record<string, () => object | Buffer | null>> = {
    '/version': () => ({ ApiVersion: '1.45', MinAPIVersion: '1.24' }),
    [`/containers/${container}/json`]: () => ({ Id: container, State: state, Config: {} }),
    [`/containers/${container}/archive?path=app%2F${FILE}`]: () => archive,
  };
  const engine = createServer(({ url = '' }, response) => {
    const path = url.replace(/^\/v[\d.]+/, '');
    asked.push(path);
    const answer = answers[path]?.() ?? null;
    const stat = Buffer.from(JSON.stringify({ name: FILE })).toString('base64');
    const type = answer instanceof Buffer ? 'application/x-tar' : 'application/json';
    const headers = { 'content-type': type, 'x-docker-container-path-stat': stat };
    response.writeHead(answer === null ? 404 : 200, headers);
    response.end(
      answer instanceof Buffer ? answer : JSON.stringify(answer ?? { message: 'No such file' }),
    );
  }).listen(`${folder}/engine.sock`);
  await once(engine, 'listening');
  onTestFinished(() => void engine.close());
  return {
    host: `unix://${folder}/engine.sock`,
    asked,
    run: () => {
      state.Status = 'running';
    },
    place: async (content) => {
      await writeFile(`${folder}/${FILE}`, JSON.stringify(content));
      archive = (await runFile('tar', ['-c', '-C', folder, FILE], RAW)).stdout;
    },
  };
}
