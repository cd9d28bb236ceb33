/** One registration of the agent, from its id to its end. */
import type { RunOrder } from '@tutti/manifests';
import { entriesOf } from '@tutti/manifests/values';
import { describeError } from './agent-logger.ts';
import type { AgentSettings } from './agent-options.ts';
import { type CommandDesk, createCommandDesk, startCommand } from './commands/command-task.ts';
import type { AgentPaths } from './connection/agent-paths.ts';
import { judge } from './connection/answers.ts';
import type { Answer, Connection } from './connection/http-connection.ts';
import type { Reachability } from './connection/reachability.ts';
import { JobKeeper } from './jobs/job-keeper.ts';
import type { SlotCgroup } from './jobs/own-cgroup.ts';
import {
  POLL_HEADERS,
  POLL_TIMEOUT_MS,
  REQUEST_TIMEOUT_MS,
  STOP_DEREGISTER_MS,
  STOP_RESULT_MS,
} from './limits.ts';
import type { PostBody, SendOutcome } from './output/output-sender.ts';
import { type PollEnd, pollCommands } from './poll-loop.ts';
import { createProcessStarter, type ProcessStarter } from './processes/process-starter.ts';
import { type Order, readOrder } from './protocol.ts';
import type { SharedPoll } from './shared-poll.ts';
import { waitAtMost } from './timing.ts';
import { createTransfers, type Transfers } from './transfers/transfers.ts';

interface SessionOptions {
  readonly agentId: string;
  readonly settings: AgentSettings;
  readonly connection: Connection;
  /** The poll of all slots; null if the agent polls alone. */
  readonly poll: SharedPoll | null;
  readonly paths: AgentPaths;
  readonly reachability: Reachability;
  /** Null if other agents share the process, or the system has no cgroups. */
  readonly cgroup: SlotCgroup | null;
}

/**
 * Polls, commands and files share one session. If one of them learns that the registration has ended, all end.
 *
 * | From | Method | To |
 * |---|---|---|
 * | | `serve`: the agent asks for commands | `serving` |
 * | `serving` | `finish`: somebody stops the agent | `finishing` |
 * | `serving`, `finishing` | the server does not know the agent any more | `lost` |
 *
 * In each phase, `#over` is aborted when the registration is of no more use. Then `serve` ends.
 */
export class Session {
  readonly #options: SessionOptions;
  readonly #desk: CommandDesk;
  readonly #transfers: Transfers;
  readonly #starter: ProcessStarter;
  readonly #job: JobKeeper;
  readonly #over = new AbortController();
  #phase: 'serving' | 'finishing' | 'lost' = 'serving';

  constructor(options: SessionOptions) {
    const { agentId, settings, connection, paths, cgroup } = options;
    this.#options = options;
    const job: JobKeeper = new JobKeeper({ settings, cgroup, waiting: () => starter.waiting() });
    this.#job = job;
    const starter = createProcessStarter({
      ...settings,
      workingDir: settings.folders.workspaceDir,
      launch: () => job.launch(),
      onProcess: (pid, phase) => {
        job.noteProcess(pid, phase);
        settings.onProcess(pid, phase);
      },
    });
    this.#starter = starter;
    this.#desk = createCommandDesk({
      start: (command) =>
        startCommand(command, { ...settings, starter, job, post: this.#postOutput }),
      onEnd: (commandId, outcome) => this.#noteEnd(commandId, outcome),
    });
    this.#transfers = createTransfers({
      ...settings,
      connection,
      fileUrl: (fileId) => paths.file(agentId, fileId),
      roots: () => this.#job.roots(),
      owner: () => this.#job.owner(),
      signal: this.#over.signal,
      report: (news) => this.#post(JSON.stringify(news), this.#over.signal),
    });
  }

  /** Serves commands until the registration ends; no process runs afterwards. */
  async serve(): Promise<PollEnd> {
    const end = await pollCommands({
      ...this.#options.settings,
      reachability: this.#options.reachability,
      ask: () => this.#poll(),
      handle: (command) => this.#handle(command),
      signal: this.#over.signal,
    });
    this.#over.abort();
    await Promise.all([this.#desk.abandonAll(), this.#transfers.settled()]);
    await this.#job.end();
    this.#starter.close();
    return this.#phase === 'lost' ? { why: 'unknown-agent' } : end;
  }

  /**
   * Ends `serve`: takes no new command. It lets the running one go on for a while, then cancels it. It waits until the server has the
   * result. Aborting `hurry` cancels at once.
   */
  async finish(finishWithinMs: number, hurry: AbortSignal): Promise<void> {
    const { timing } = this.#options.settings;
    const { signal } = this.#over;
    if (this.#phase === 'serving') this.#phase = 'finishing';
    const settled = this.#desk.settled();
    await waitAtMost(settled, finishWithinMs, AbortSignal.any([hurry, signal]), timing);
    this.#desk.cancelAll('The agent stops, so it ended this command.');
    await waitAtMost(settled, STOP_RESULT_MS, signal, timing);
    this.#over.abort();
  }

  /** Ends all processes at once, and tells nobody. */
  kill(): void {
    this.#starter.kill();
  }

  /** Takes the registration back; after `serve`. Rejects when the server cannot be reached. */
  async deregister(): Promise<void> {
    const { connection, paths, agentId } = this.#options;
    await connection.send({
      method: 'DELETE',
      path: paths.agent(agentId),
      timeoutMs: STOP_DEREGISTER_MS,
      repeatable: true,
    });
  }

  async #handle(command: Order): Promise<boolean> {
    switch (command.kind) {
      case 'run':
        return this.#run(command);
      case 'cancel':
        this.#desk.cancel(command.command_id);
        return true;
      case 'get':
      case 'put':
        return this.#transfers.begin(command);
    }
  }

  async #run(command: RunOrder): Promise<boolean> {
    await this.#transfers.received();
    // Not accepted, so that the server knows that it never ran here.
    if (this.#phase !== 'serving') return false;
    await this.#job.begin(command);
    const isNew = await this.#desk.accept(command);
    if (isNew) {
      this.#options.settings.logger.info('A command runs.', { command_id: command.command_id });
    }
    return isNew;
  }

  /** The answer to a result may contain the next command, accepted before the result counts as stored. Polls name one of both. */
  readonly #postOutput = async (body: PostBody, signal: AbortSignal): Promise<Answer> => {
    const answer = await this.#post(body, signal);
    const { details } = entriesOf(answer.body);
    const isRun = judge(answer) === 'done' && entriesOf(details).kind === 'run';
    if (isRun && !this.#over.signal.aborted) await this.#takeNext(details);
    return answer;
  };

  async #takeNext(details: unknown): Promise<void> {
    try {
      await this.#handle(readOrder(details));
    } catch (error) {
      const facts = { error: describeError(error) };
      this.#options.settings.logger.error('A command of the server was not understood.', facts);
    }
  }

  #noteEnd(commandId: string, outcome: SendOutcome): void {
    const facts = { command_id: commandId, result: outcome };
    this.#options.settings.logger.info('A command is over.', facts);
    if (outcome !== 'unknown-agent') return;
    this.#phase = 'lost';
    this.#over.abort();
  }

  #poll(): Promise<Answer> {
    const { connection, paths, agentId, poll } = this.#options;
    const { signal } = this.#over;
    const { known } = this.#desk;
    if (poll !== null) return poll.ask({ agentId, known, signal });
    return connection.send({
      method: 'GET',
      path: paths.poll(agentId, known()),
      headers: POLL_HEADERS,
      timeoutMs: POLL_TIMEOUT_MS,
      signal,
      pool: 'poll',
      repeatable: true,
    });
  }

  readonly #post = (body: PostBody, signal: AbortSignal): Promise<Answer> => {
    const { connection, paths, agentId } = this.#options;
    return connection.send({
      method: 'POST',
      path: paths.agent(agentId),
      ...(typeof body === 'string' ? { json: body } : { bytes: body }),
      timeoutMs: REQUEST_TIMEOUT_MS,
      signal,
      repeatable: true,
    });
  };
}
