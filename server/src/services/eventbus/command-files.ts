/**
 * Files that steps on plugins' channels need. Toolkits search artifacts and resource files below `/tmp` of their machine, at the
 * paths of existing servers. If a plugin shares that directory with this server, the files are written there.
 */
import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { lstat, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ExecutionCommandEvent, WorkflowId } from '@tutti/manifests';
import { artifactOfPath, type Run } from '@tutti/workflow';
import type { BlobStore } from '../../blobs/blob-store.ts';
import type { RunDirectory } from '../../bus/bus.ts';
import type { ServerEventBus } from '../../bus/event-bus.ts';
import type { Logger } from '../../runtime/logger.ts';

export interface CommandFilesDeps {
  readonly bus: Pick<ServerEventBus, 'beforeCommands' | 'subscribe'>;
  readonly runs: Pick<RunDirectory, 'current'>;
  readonly blobs: Pick<BlobStore, 'get'>;
  readonly logger: Pick<Logger, 'warn'>;
  readonly directory: string;
  /** Ids of the channel handlers in this process, which need no files. */
  readonly handlerIds: readonly string[];
}

export function offerCommandFiles(deps: CommandFilesDeps): void {
  const files = new CommandFiles(deps);
  deps.bus.beforeCommands((json) => files.prepare(json));
  for (const kind of ['WorkflowCompleted', 'WorkflowCanceled'] as const) {
    deps.bus.subscribe(kind, ({ metadata }) => void files.remove(metadata.workflow_id));
  }
}

/** The name of a file for plugins, and its blob in the scope of the run. */
interface NamedFile {
  readonly name: string;
  readonly blob: string;
}

/** Command files of a run. */
interface Written {
  /** By name: false for a file that was there already, which is not ours. */
  readonly files: Map<string, Promise<boolean>>;
  hasFailed: boolean;
}

class CommandFiles {
  readonly #deps: CommandFilesDeps;
  /** The live runs. */
  readonly #runs = new Map<WorkflowId, Written>();

  constructor(deps: CommandFilesDeps) {
    this.#deps = deps;
  }

  /** Resolves once the files that can be written exist. */
  async prepare(json: string): Promise<void> {
    // The server wrote it.
    const command = JSON.parse(json) as ExecutionCommandEvent;
    const { workflow_id: workflowId } = command.metadata;
    const run = this.#deps.runs.current(workflowId);
    // A command that waited for its inbox may belong to a finished run.
    if (!this.#isForPlugin(command) || run === null || isOver(run)) return;
    const written = this.#runs.get(workflowId) ?? { files: new Map(), hasFailed: false };
    this.#runs.set(workflowId, written);
    for (const file of filesFor(command, run.files)) {
      // The run has ended.
      if (this.#runs.get(workflowId) !== written) return;
      const writing = written.files.get(file.name) ?? this.#write(workflowId, file);
      written.files.set(file.name, writing);
      try {
        await writing;
      } catch (error) {
        written.files.delete(file.name);
        this.#noteFailure(written, { err: error, workflowId, name: file.name });
      }
    }
  }

  /** Logged once per run: an unwritable directory fails for each file and command. */
  #noteFailure(written: Written, about: object): void {
    if (written.hasFailed) return;
    written.hasFailed = true;
    this.#deps.logger.warn(about, 'A file could not be given to a plugin (pluginFiles).');
  }

  #isForPlugin({ metadata }: ExecutionCommandEvent): boolean {
    const { channelhandler_id: handlerId, channel_id: channelId } = metadata;
    const isOurs = typeof handlerId === 'string' && this.#deps.handlerIds.includes(handlerId);
    return metadata.step_sequence_id >= 0 && channelId !== undefined && !isOurs;
  }

  /** True when it was written. */
  async #write(workflowId: WorkflowId, { name, blob }: NamedFile): Promise<boolean> {
    const { directory, blobs } = this.#deps;
    const target = join(directory, name);
    if (await isThere(target)) return false;
    const found = await blobs.get(`${workflowId}/${blob}`);
    if (found === null) return false;
    const part = join(directory, `in_${randomUUID()}.part`);
    try {
      // It never writes through a link that another process created.
      await pipeline(found.content, createWriteStream(part, { flags: 'wx' }));
      await rename(part, target);
      return true;
    } catch (error) {
      await rm(part, { force: true });
      throw error;
    }
  }

  async remove(workflowId: WorkflowId): Promise<void> {
    const { directory, logger } = this.#deps;
    const written = this.#runs.get(workflowId);
    this.#runs.delete(workflowId);
    for (const [name, writing] of written?.files ?? []) {
      try {
        if (await writing) await rm(join(directory, name), { force: true });
      } catch (error) {
        logger.warn({ err: error, workflowId, name }, 'A file of a run could not be removed.');
      }
    }
  }
}

const isOver = ({ phase }: Run): boolean => phase === 'DONE' || phase === 'FAILED';

const ARTIFACTS = '/tmp/';

function filesFor(
  { metadata }: ExecutionCommandEvent,
  resources: Readonly<Record<string, string>>,
): readonly NamedFile[] {
  const artifacts = (metadata.artifacts ?? []).flatMap((path) => {
    const artifact = artifactOfPath(path);
    return artifact === null ? [] : [{ name: path.slice(ARTIFACTS.length), blob: artifact.uuid }];
  });
  const files = Object.entries(resources).map(([name, blob]) => ({
    name: `in_${metadata.workflow_id}_${name}`,
    blob,
  }));
  return [...artifacts, ...files].filter(({ name }) => !/[/\0]/.test(name));
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch {
    return false;
  }
}
