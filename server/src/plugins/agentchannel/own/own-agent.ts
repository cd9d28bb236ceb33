/** Our own agents. They report their commands in each poll, so every order can be repeated. */
import type { RunOrder } from '@tutti/manifests';
import {
  type Agent,
  AgentBase,
  type AgentHost,
  type AgentRecord,
  type Handout,
  type LivenessTimes,
  type Poll,
} from '../jobs/agent.ts';
import type { ExistingPost } from '../jobs/agent-post.ts';
import type { Command } from '../jobs/command.ts';
import { LIMITS } from '../jobs/limits.ts';
import { cancelIfAsked, nextTransfer, plain, runOrder } from '../jobs/orders.ts';
import type { Transfer } from '../jobs/transfer.ts';

export class AgentOfOurs extends AgentBase {
  override readonly isOurs = true;
  override readonly canRun = true;
  override readonly keepsWork = true;
  override readonly isOperated = false;
  override readonly abilities = { shared_polls: true };
  override isAsync = true;
  /**
   * Releases of jobs that were given up while the agent was away, the oldest first. They remove the files of these jobs. Their runs ended
   * the jobs already, so no run knows of these releases; a server forgets them at a restart.
   */
  readonly owed: Command[] = [];
  /** The command of the last result. A poll that was opened before may still name it as running. */
  lastResult: string | null = null;
  /** The stop order for a command whose job is over. */
  strayStop: { readonly commandId: string; readonly atMs: number } | null = null;

  constructor(id: Agent['id'], record: AgentRecord, nowMs: number) {
    super(id, record, nowMs);
    // The agent asks for work within the grace time, or is lost.
    this.disconnectedAtMs = nowMs;
  }

  override nextOrder(poll: Poll, nowMs: number): Handout | null {
    const command = this.session?.command ?? null;
    const { running } = poll;
    if (command !== null && !command.hasEnded && isFromBefore(command, poll)) {
      return null;
    }
    // The agent works on an owed release, which another command would end.
    if (running !== null && this.owed[0]?.id === running) return null;
    // The running command belongs to a job that was given up. Or the command has ended since the poll was opened.
    const isStray = running !== null && running !== command?.id && running !== this.lastResult;
    if (isStray) return this.#cancelStray(running, nowMs);
    if (command === null) return this.#nextOwed(poll);
    if (this.isStoppedBefore(command, poll)) return null;
    if (command.hasEnded) return nextTransfer(command, nowMs);
    command.handOut();
    return poll.last === command.id ? cancelIfAsked(command, nowMs) : plain(ownOrder(command));
  }

  #cancelStray(commandId: string, nowMs: number): Handout | null {
    const sent = this.strayStop;
    if (sent?.commandId === commandId && nowMs - sent.atMs < LIMITS.cancelResendMs) return null;
    this.strayStop = { commandId, atMs: nowMs };
    return {
      order: { kind: 'cancel', command_id: commandId },
      isOnce: false,
      takeBack: () => {
        this.strayStop = null;
      },
    };
  }

  override mustAskAgain(poll: Poll): boolean {
    const command = this.session?.command ?? null;
    const isToStop = command !== null && command.cancelAskedAtMs !== null;
    return isToStop && command.phase === 'running' && isFromBefore(command, poll);
  }

  override isStoppedBefore(command: Command, poll: Poll): boolean {
    return (
      !command.hasEnded &&
      command.cancelAskedAtMs !== null &&
      poll.last !== command.id &&
      !isFromBefore(command, poll)
    );
  }

  override holdTime(holdMs: number, livenessSeconds: number): number {
    return Math.min(holdMs, Math.min(LIMITS.holdSeconds, livenessSeconds) * 1000);
  }

  override notePoll(poll: Poll): void {
    super.notePoll(poll);
    if (this.abandoned !== poll.running) this.abandoned = null;
  }

  /**
   * The agent names a command until its result is stored. Otherwise, if the server has no result, its data was restored from a backup and
   * the command is forgotten.
   */
  override hasNothing({ last, running }: Poll): boolean {
    const command = this.session?.command;
    return command?.phase === 'running' && last === command.id && running === null;
  }

  /**
   * Several files move at once. After a restart the same file has another id, so nobody may wait for the file of the post. The post names
   * the id; those of older agents name only the path.
   */
  override failedTransfer(
    sent: readonly Transfer[],
    { error, failedFileId }: ExistingPost,
  ): Transfer | null {
    const isMeant = (transfer: Transfer) =>
      failedFileId === null
        ? error?.startsWith(failureHead(transfer))
        : transfer.fileId === failedFileId;
    return sent.find(isMeant) ?? null;
  }

  /** Our agents run no command twice, so the job waits longer: the network may recover, and the job goes on. */
  override absence(times: LivenessTimes, nowMs: number): string | null {
    const seconds = Math.max(times.absenceSeconds, times.disconnectGraceSeconds);
    return nowMs - (this.disconnectedAtMs ?? this.lastContactMs) > seconds * 1000
      ? `its connection broke and it did not come back within ${seconds} s`
      : null;
  }

  override noteDisconnection(host: AgentHost, isBroken: boolean): void {
    if (this.waiter !== null) return;
    this.disconnectedAtMs = host.clock.monotonicMs();
    // An idle agent loses nothing, but it should get no job before it is back.
    const isIdle = this.session === null && !this.isOffered && this.unreachableSince === null;
    if (isBroken && isIdle) this.becomeUnreachable(host, host.clock.now());
  }

  /** A post proves that its command reached the agent; the held poll may have been opened before. */
  noteThere({ id }: Command): void {
    if (this.waiter !== null) Object.assign(this.waiter, { last: id, running: id });
  }

  /** Notes that no job waits for the command any more, or that its result came. */
  noteResult(commandId: string): void {
    if (this.abandoned === commandId) this.abandoned = null;
    this.lastResult = commandId;
  }

  override retryDelivery(release: Command): void {
    if (this.owed.some(({ id }) => id === release.id)) return;
    this.owed.push(release);
    if (this.owed.length > LIMITS.owedReleases) this.owed.shift();
  }

  /** The next owed release, for an agent without other work. A release that the agent had, and did not end, is not repeated. */
  #nextOwed({ last, running }: Poll): Handout | null {
    if (this.owed[0]?.id === last && running === null) this.owed.shift();
    const [owed] = this.owed;
    return owed === undefined ? null : plain(ownOrder(owed));
  }

  /** Settles an owed release; false for any other command. */
  settleOwed(commandId: string, isOver: boolean): boolean {
    if (this.owed[0]?.id !== commandId) return false;
    if (isOver) {
      this.owed.shift();
      this.lastResult = commandId;
    }
    return true;
  }
}

/** One of our own agents as others see it. Only methods of the class change it. */
export type OwnAgent = Readonly<AgentOfOurs>;

export const isOwn = (agent: Agent): agent is OwnAgent => agent.isOurs;

/**
 * True for a poll that cannot show whether the command reached the agent. The poll names an earlier command as running, and the answer to
 * that one's result contained this command. If that answer was lost, the agent posts the result again, and gets the answer again.
 */
const isFromBefore = ({ id, givenAfter }: Command, { running }: Poll): boolean =>
  givenAfter !== null && running !== null && running !== id;

const failureHead = ({ isOutgoing, path }: Transfer): string =>
  `Failed to ${isOutgoing ? 'download' : 'fetch'} file ${path}:`;

export function ownOrder(command: Command): RunOrder {
  const { words, directory, workspace, removal } = command.script;
  const { release } = command;
  return {
    ...runOrder(command),
    batches_under_way: LIMITS.batchesUnderWay,
    output_bytes: true,
    ...(words === null ? {} : { words }),
    ...(directory === null ? {} : { directory }),
    ...(workspace === null || workspace === directory ? {} : { workspace }),
    ...(removal === null ? {} : { removal }),
    ...(release === null ? {} : { release }),
  };
}
