/** Existing agents, and those that operators speak for. They say nothing of what they have; what their polls tell, `Rhythm` finds out. */
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
import { cancelIfAsked, execOrder, nextTransfer, plain, runOrder, tell } from '../jobs/orders.ts';
import { isMute, isUntold, learnPause, noteHandout, notePolled, readPoll } from '../jobs/rhythm.ts';
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
        // An order to run something is lost on an agent that still runs what was given up.
        return this.abandoned !== null && this.isAsync ? null : this.#start(command, nowMs);
      case 'running':
        return this.#mayBeToldToStop(command) ? cancelIfAsked(command, nowMs) : null;
      case 'collecting':
        return nextTransferOfExisting(command, nowMs);
    }
  }

  /**
   * Only an agent that polls while it runs something can be told to stop. One that may be of that kind, and asks while it has a command,
   * is told once: if it lost the command, it passes over the order, and every other one would hide that it sleeps. The first agents
   * never poll then, and operators end with the job what they do not know.
   */
  #mayBeToldToStop(command: Command): boolean {
    if (this.isAsync) return true;
    const mayBeAsync = this.canRun && !this.isOperated && this.rhythm.mode !== 'synchronous';
    return mayBeAsync && command.cancelToldAtMs === null;
  }

  #start(command: Command, nowMs: number): Handout {
    const { scriptFileId } = command;
    const lacksScript = scriptFileId !== null && !command.scriptFetched;
    // One that cannot fetch the script may have it from before; if not, the command itself says what is missing.
    if (lacksScript && command.scriptTells < LIMITS.scriptTells) {
      command.note({ scriptTells: command.scriptTells + 1 });
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

  /** It sleeps for seconds after a 204, so the next step of its job should not just miss it. */
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
    // An operator asks at times of its own until it has an environment for the job, and says nothing of it.
    if (this.isOperated) {
      notePolled(rhythm);
      return false;
    }
    const meaning = readPoll(rhythm, nowMs);
    if (meaning === 'works') this.isAsync = true;
    return meaning === 'idle';
  }

  /** It does one thing after the other, and tells what failed: when it asks what to do next, it has written the file. */
  override hasWritten({ isSent, moves }: Transfer): boolean {
    return isSent && moves === 0;
  }

  /** It gets one file at a time. Output that came late, or twice, is no failure. */
  override failedTransfer(
    [transfer]: readonly Transfer[],
    { error, exitStatus }: ExistingPost,
  ): Transfer | null {
    return error === null && exitStatus === null ? null : (transfer ?? null);
  }

  /**
   * What an agent chose itself holds also while it can say nothing: whoever chooses knows its longest step. Operators have a time built
   * in, and are silent while they run a command.
   */
  override patience(times: LivenessTimes): Patience {
    const isRunning = this.session?.command?.phase === 'running';
    if (!isRunning || !(this.isOperated || isMute(this.rhythm))) return super.patience(times);
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
    const mayBeLost = session?.command?.phase === 'running' && isUntold(rhythm);
    if (!mayBeLost || nowMs - rhythm.handedOutMs <= seconds * 1000) return null;
    return `it asks for work, and nothing was heard of its command for ${seconds} s (agents.synchronousLivenessSeconds)`;
  }
}

/** Versions before 1.9, and agents that tell none, know `put` and `exec` only. */
function knowsRun(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map((part) => Number.parseInt(part, 10) || 0);
  return major > 1 || (major === 1 && minor >= 9);
}

/**
 * Existing agents take one file at a time. One that asks for work has done all it was told, so a file that it was told of some
 * time ago, and that does not come, is one it did not hear of.
 */
function nextTransferOfExisting(command: Command, nowMs: number): Handout | null {
  const told = command.transfers.find(({ phase }) => phase === 'told');
  if (told === undefined) return nextTransfer(command, nowMs);
  const isUnheard = told.moves === 0 && nowMs - told.toldAtMs >= LIMITS.transferRetellMs;
  return isUnheard && told.tells < LIMITS.transferTells ? tell(told, nowMs) : null;
}
