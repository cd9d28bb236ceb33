/** Existing agents, also those of operators. They report no state, so `Rhythm` derives it from their polls. */
import {
  type Agent,
  AgentBase,
  type AgentRecord,
  type Handout,
  type LivenessTimes,
  type Patience,
  type Poll,
  rootOf,
} from '../jobs/agent.ts';
import type { ExistingPost } from '../jobs/agent-post.ts';
import type { Command } from '../jobs/command.ts';
import { LIMITS } from '../jobs/limits.ts';
import { cancelIfAsked, execOrder, nextTransfer, plain, runOrder, send } from '../jobs/orders.ts';
import {
  deliveryUnconfirmed,
  learnPause,
  noteHandout,
  notePolled,
  readPoll,
  silentWhileRunning,
} from '../jobs/rhythm.ts';
import type { Transfer } from '../jobs/transfer.ts';

export class ExistingAgent extends AgentBase {
  override readonly isOurs = false;
  override readonly canRun: boolean;
  override readonly keepsWork = false;
  override readonly isOperated: boolean;

  constructor(id: Agent['id'], record: AgentRecord, nowMs: number) {
    super(id, record, nowMs);
    this.canRun = knowsRun(record.registration.metadata.version ?? '');
    this.isOperated = rootOf(this) === null;
  }

  override nextOrder(_poll: Poll, nowMs: number): Handout | null {
    const command = this.session?.command ?? null;
    switch (command?.phase) {
      case undefined:
        return null;
      case 'waiting':
        // An agent that still runs an abandoned command would lose an order to run another one.
        return this.abandoned !== null && this.isAsync ? null : this.#start(command, nowMs);
      case 'running':
        return this.#canBeStopped(command) ? cancelIfAsked(command, nowMs) : null;
      case 'ended':
      case 'collecting':
        return nextTransferOfExisting(command, nowMs);
    }
  }

  /**
   * Only an agent that polls while it runs a command can be told to stop. An agent that may be of that kind, and polls with a command,
   * gets one stop order. If it lost the command, it ignores the order, and more orders would hide that it sleeps. The first agents
   * never poll then, and operators end unknown commands with the job.
   */
  #canBeStopped(command: Command): boolean {
    if (this.isAsync) return true;
    const mayBeAsync = this.canRun && !this.isOperated && this.rhythm.mode !== 'synchronous';
    return mayBeAsync && command.cancelSentAtMs === null;
  }

  #start(command: Command, nowMs: number): Handout {
    const { scriptFileId } = command;
    const lacksScript = scriptFileId !== null && !command.scriptFetched;
    // An agent that cannot fetch the script may have it from before. If not, the command itself reports the missing file.
    if (lacksScript && command.scriptSends < LIMITS.scriptSends) {
      command.note({ scriptSends: command.scriptSends + 1 });
      const path = command.script.filename;
      return plain({ kind: 'put', file_id: scriptFileId, path, root: '' });
    }
    command.handOut();
    this.abandoned = null;
    noteHandout(this.rhythm, nowMs);
    return {
      order: this.canRun ? runOrder(command) : execOrder(command),
      isOnce: true,
      takeBack: () => command.takeBack(),
    };
  }

  /** The agent sleeps for seconds after a 204. So the poll is held until the next step of its job can come. */
  override holdTime(): number {
    const isBetweenSteps = this.session !== null && this.session.command === null;
    return isBetweenSteps && !this.isAsync ? LIMITS.holdBetweenStepsMs : 0;
  }

  override hasNothing(_poll: Poll, nowMs: number): boolean {
    const { rhythm, session, abandoned } = this;
    if (abandoned === null && session?.command?.phase !== 'running') {
      if (session === null) learnPause(rhythm, nowMs);
      return false;
    }
    // An operator asks at its own times until it has an environment for the job, and reports nothing meanwhile.
    if (this.isOperated) {
      notePolled(rhythm);
      return false;
    }
    const meaning = readPoll(rhythm, nowMs);
    if (meaning === 'works') this.isAsync = true;
    return meaning === 'idle';
  }

  /** The agent does one thing after the other, and reports failures. So it has written the file when it asks for the next order. */
  override hasWritten({ isSent, moves }: Transfer): boolean {
    return isSent && moves === 0;
  }

  /** The agent gets one file at a time. Output that came late, or twice, is no failure. */
  override failedTransfer(
    [transfer]: readonly Transfer[],
    { error, exitStatus }: ExistingPost,
  ): Transfer | null {
    return error === null && exitStatus === null ? null : (transfer ?? null);
  }

  /**
   * The agent's own `liveness_probe` also holds while a command keeps it silent: its owner knows the longest step. Operators have a fixed
   * time, and are silent while they run a command.
   */
  override patience(times: LivenessTimes): Patience {
    const isRunning = this.session?.command?.phase === 'running';
    if (!isRunning || !(this.isOperated || silentWhileRunning(this.rhythm)))
      return super.patience(times);
    const own = this.isOperated ? undefined : this.registration.spec.liveness_probe;
    const seconds = own ?? times.synchronousLivenessSeconds;
    const source = own === undefined ? 'agents.synchronousLivenessSeconds' : 'its liveness_probe';
    return [seconds, `no contact for ${seconds} s while its command ran (${source})`];
  }

  override unheardOf(
    { synchronousLivenessSeconds: seconds }: LivenessTimes,
    nowMs: number,
  ): string | null {
    const { rhythm, session } = this;
    const mayBeLost = session?.command?.phase === 'running' && deliveryUnconfirmed(rhythm);
    if (!mayBeLost || nowMs - rhythm.handedOutMs <= seconds * 1000) return null;
    return `it asks for work, and nothing was heard of its command for ${seconds} s (agents.synchronousLivenessSeconds)`;
  }
}

/** True for versions from 1.9 on. Older agents, and agents without a version, know `put` and `exec` only. */
function knowsRun(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map((part) => Number.parseInt(part, 10) || 0);
  return major > 1 || (major === 1 && minor >= 9);
}

/**
 * Existing agents take one file at a time. An agent that asks for work has carried out all its orders. So if a file was ordered some
 * time ago and has not come, the agent never got the order.
 */
function nextTransferOfExisting(command: Command, nowMs: number): Handout | null {
  const sent = command.transfers.find(({ phase }) => phase === 'sent');
  if (sent === undefined) return nextTransfer(command, nowMs);
  const isUnheard = sent.moves === 0 && nowMs - sent.sentAtMs >= LIMITS.transferResendMs;
  return isUnheard && sent.sends < LIMITS.transferSends ? send(sent, nowMs) : null;
}
