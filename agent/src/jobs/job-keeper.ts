/**
 * Keeps the job of an agent: its files, its user, and the end of its processes. States:
 *
 * no job -> a job (at its first command) -> no job. The last change is its release, another job's command, or the end of the registration.
 */
import { lchownSync, rmSync } from 'node:fs';
import path from 'node:path';
import { type RunOrder, STEP_SEQUENCE } from '@tutti/manifests';
import { type AgentLogger, describeError } from '../agent-logger.ts';
import type { Environment, Platform } from '../processes/platform.ts';
import { isGroupAlive } from '../processes/process-group.ts';
import type { Launch } from '../processes/ready-process.ts';
import type { Timing } from '../timing.ts';
import { endLeftovers, isDead } from './end-leftovers.ts';
import { type AgentFolders, createJobPlaces, type JobPlaces, jobOf } from './job-places.ts';
import { environmentOf, type JobUser, takeUser } from './job-users.ts';
import type { SlotCgroup } from './own-cgroup.ts';
import { chooseMark, createMarkedProcesses, type MarkedProcesses } from './process-mark.ts';
import type { UserRange } from './user-claims.ts';

/** The settings of an agent that concern its jobs. */
export interface JobSettings {
  readonly folders: AgentFolders;
  readonly allowPaths: readonly string[];
  /** Null if jobs run as the user of the agent. */
  readonly users: UserRange | null;
  readonly keepsWorkspaces: boolean;
  readonly logger: AgentLogger;
  readonly environment: Environment;
  readonly platform: Platform;
  readonly timing: Timing;
}

export interface JobKeeperOptions {
  readonly settings: JobSettings;
  readonly cgroup: SlotCgroup | null;
  /** Process ids of prepared processes, which belong to no job yet, and of what prepares them. */
  readonly waiting: () => readonly number[];
}

export const isRelease = (commandId: string): boolean =>
  commandId.endsWith(`/${STEP_SEQUENCE.release}`);

export class JobKeeper {
  readonly #options: JobKeeperOptions;
  readonly #places: JobPlaces;
  readonly #mark: number | null;
  readonly #marked: MarkedProcesses | null;
  /** Process groups that outlived their command, on systems without marks. */
  readonly #groups = new Set<number>();
  #jobId: string | null = null;
  #user: JobUser | null = null;
  #variablesFile: string | null = null;

  constructor(options: JobKeeperOptions) {
    const { folders, allowPaths, timing, users, platform } = options.settings;
    this.#options = options;
    options.cgroup?.usedBy(this);
    this.#places = createJobPlaces(folders, allowPaths);
    const isMarked = users === null && platform.kill.by === 'process-group';
    this.#mark = isMarked ? chooseMark() : null;
    this.#marked = this.#mark === null ? null : createMarkedProcesses(this.#mark, timing.now);
  }

  get hasJob(): boolean {
    return this.#jobId !== null;
  }

  waiting(): readonly number[] {
    return this.#options.waiting();
  }

  /** Begins a command. If the job before was not released, it ends first. */
  async begin(command: RunOrder): Promise<void> {
    const jobId = jobOf(command.command_id);
    if (this.#jobId !== null && this.#jobId !== jobId) await this.end();
    this.#jobId = jobId;
    this.#places.begin(command);
    const { variables_path: file } = command;
    if (file === undefined) return;
    this.#variablesFile = path.resolve(this.#options.settings.folders.workspaceDir, file);
  }

  /** Call it before the first process of a job. Rejects if jobs have users of their own, and none is free. */
  async makeReady(): Promise<void> {
    const { users, folders, timing } = this.#options.settings;
    const jobId = this.#jobId;
    if (users === null || this.#user !== null || jobId === null) return;
    const name = `${path.basename(jobId)}_home`;
    const user = await takeUser(users, { folder: folders.workspaceDir, name, timing });
    if (this.#jobId !== jobId) {
      await user.release();
      throw new Error('The job ended before it began.');
    }
    this.#user = user;
    this.#places.add(user.home);
  }

  roots(): readonly string[] {
    return this.#places.roots();
  }

  /** Null if jobs have users of their own, and no job runs. */
  launch(): Launch | null {
    const { environment, users } = this.#options.settings;
    const user = this.#user;
    if (users === null) return { environment, user: null, mark: this.#mark };
    return user === null
      ? null
      : { environment: environmentOf(user, environment), user, mark: null };
  }

  /** Null if jobs run as the user of the agent. Throws if jobs have users of their own, and no job runs. */
  owner(): JobUser | null {
    if (this.#options.settings.users === null) return null;
    if (this.#user === null) throw new Error('No job runs here.');
    return this.#user;
  }

  noteProcess(pid: number, phase: 'began' | 'ended'): void {
    const isFollowed = this.#marked === null && this.#options.settings.users === null;
    if (!isFollowed || this.#options.settings.platform.kill.by !== 'process-group') return;
    if (phase === 'ended' && isGroupAlive(pid)) this.#groups.add(pid);
  }

  /** Ends the processes of the current job; its files stay. */
  async endProcesses(): Promise<void> {
    const { settings, cgroup } = this.#options;
    const { timing, logger } = settings;
    const killAll = cgroup === null ? null : () => cgroup.killOthers(() => this.#kept());
    const isEnded =
      this.#user === null
        ? await endLeftovers(() => this.#leftovers(), killAll, timing)
        : await this.#user.endProcesses(timing);
    if (!isEnded) logger.error('Processes of a job could not be ended.', { job_id: this.#jobId });
  }

  /** Ends a job that has no process any more, if its files can be removed at once; else false. */
  endAtOnce(remove: () => boolean): boolean {
    const isOver = this.#options.settings.users === null && !this.#hasProcesses() && remove();
    if (isOver) void this.end(true);
    return isOver;
  }

  #hasProcesses(): boolean {
    return this.#leftovers().some((id) => id < 0 || !isDead(id));
  }

  /** `isIdle`: nothing was started since its processes were ended. */
  async end(isIdle = false): Promise<void> {
    if (this.#jobId === null) return;
    if (!isIdle) await this.endProcesses();
    this.#marked?.restart();
    this.#groups.clear();
    this.#removeVariables(this.#jobId);
    if (this.#user !== null) await this.#takeBack(this.#user, this.#jobId);
    this.#jobId = null;
    this.#user = null;
  }

  #kept(): readonly number[] {
    return [process.pid, ...this.#options.waiting()];
  }

  /** Groups are negative numbers. */
  #leftovers(): readonly number[] {
    const kept = new Set(this.#kept());
    const found = new Set([
      ...(this.#marked?.find() ?? []),
      ...(this.#options.cgroup?.pids() ?? []),
    ]);
    const groups = [...this.#groups].filter(isGroupAlive).map((id) => -id);
    return [...[...found].filter((pid) => !kept.has(pid)), ...groups];
  }

  /** A job that was released has none any more. */
  #removeVariables(jobId: string): void {
    const file = this.#variablesFile;
    this.#variablesFile = null;
    if (file !== null && path.basename(file).startsWith(`${jobId}_`)) rmSync(file, { force: true });
  }

  /** The next job with this user's number must not enter a kept workspace. */
  async #takeBack(user: JobUser, jobId: string): Promise<void> {
    const { folders, logger } = this.#options.settings;
    try {
      await user.release();
      // The link itself, not its target: the job may have replaced the directory.
      lchownSync(path.join(folders.workspaceDir, path.basename(jobId)), 0, 0);
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return;
      logger.error('Files of a job could not be removed.', { error: describeError(error) });
    }
  }
}
