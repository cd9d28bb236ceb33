/**
 * Moves files to and from the server, beside the command and the poll. Each transfer is retried several times, and a failure is reported to
 * the server.
 */
import type { FileNews, GetOrder, PutOrder } from '@tutti/manifests';
import { type AgentLogger, describeError } from '../agent-logger.ts';
import { describeAnswer, saysNothing } from '../connection/answers.ts';
import { createBackoff } from '../connection/backoff.ts';
import type { Answer } from '../connection/http-connection.ts';
import { isUnreachable } from '../connection/reachability.ts';
import { TRANSFER_ATTEMPTS_MAX, TRANSFERS_MAX } from '../limits.ts';
import type { Timing } from '../timing.ts';
import {
  type FileTransferOptions,
  receiveFile,
  sendFile,
  type TransferOutcome,
} from './file-transfer.ts';
import { UnusableFileError } from './files-within.ts';

export type TransferOrder = GetOrder | PutOrder;

export interface Transfers {
  /**
   * Resolves when the transfer has begun, after waiting for others; false if it is already under way. A `get` waits for incoming
   * files, as it may be for one of them.
   */
  begin(command: TransferOrder): Promise<boolean>;
  /** Resolves when no file arrives any more. The next command may need a file, and the server only knows that it was fetched. */
  received(): Promise<void>;
  /** Resolves when no transfer is under way. */
  settled(): Promise<void>;
}

export interface TransfersOptions extends FileTransferOptions {
  /**
   * The server knows that a file was fetched, but not that it was written. So the agent reports that, and the reasons of failures. Rejects
   * on connection errors.
   */
  readonly report: (news: FileNews) => Promise<Answer>;
  readonly timing: Timing;
  readonly logger: AgentLogger;
}

export function createTransfers(options: TransfersOptions): Transfers {
  const underWay = new Map<string, { kind: TransferOrder['kind']; over: Promise<void> }>();
  const over = (kind?: TransferOrder['kind']) =>
    [...underWay.values()]
      .filter((transfer) => kind === undefined || transfer.kind === kind)
      .map((transfer) => transfer.over);
  const received = async () => void (await Promise.all(over('put')));

  return {
    begin: async (command) => {
      if (underWay.has(command.file_id)) return false;
      while (underWay.size >= TRANSFERS_MAX) await Promise.race(over());
      const ready = command.kind === 'get' ? received() : Promise.resolve();
      const transfer = ready
        .then(() => move(command, options))
        .finally(() => underWay.delete(command.file_id));
      underWay.set(command.file_id, { kind: command.kind, over: transfer });
      return true;
    },
    received,
    settled: async () => void (await Promise.all(over())),
  };
}

/** Never rejects. */
async function move(command: TransferOrder, options: TransfersOptions): Promise<void> {
  const why = await repeat(() => attempt(command, options), options);
  if (options.signal.aborted) return;
  const { kind, path, file_id: fileId } = command;
  if (why === null) {
    if (kind === 'put') await repeat(() => report({ received: fileId }, options), options);
    return;
  }
  const error = `Failed to ${kind === 'get' ? 'fetch' : 'download'} file ${path}: ${why}`;
  // Output of a step does not go into this log. It may contain masked text, and the agent knows no masks. The run's log has it.
  options.logger.warn('A file could not be transferred.', { kind, file_id: fileId });
  await repeat(() => report({ failed: fileId, details: { error } }, options), options);
}

/** Null after success, else the reason of the last failure. Attempts count only while the server is reachable. */
async function repeat(
  attemptOnce: () => Promise<TransferOutcome>,
  { timing, signal }: TransfersOptions,
): Promise<string | null> {
  const backoff = createBackoff(timing.random);
  for (let attempts = 0; ; ) {
    const result = await attemptOnce();
    if (result.outcome === 'gone-over') return null;
    if (result.outcome !== 'away') attempts += 1;
    const isLast = result.outcome === 'impossible' || attempts >= TRANSFER_ATTEMPTS_MAX;
    if (isLast || signal.aborted) return result.why;
    await timing.wait(backoff.next(), signal);
  }
}

async function attempt(
  command: TransferOrder,
  options: TransfersOptions,
): Promise<TransferOutcome> {
  try {
    return command.kind === 'get'
      ? await sendFile(command, options)
      : await receiveFile(command, options);
  } catch (error) {
    return { outcome: outcomeOf(error), why: describeError(error) };
  }
}

function outcomeOf(error: unknown): 'again' | 'away' | 'impossible' {
  if (isUnreachable(error)) return 'away';
  return isOfTheDisk(error) ? 'impossible' : 'again';
}

/** File system errors name a path, connection errors do not. */
const isOfTheDisk = (error: unknown): boolean =>
  error instanceof UnusableFileError || (error instanceof Error && 'path' in error);

async function report(news: FileNews, options: TransfersOptions): Promise<TransferOutcome> {
  try {
    const answer = await options.report(news);
    // Any answer counts, also a refusal: the server has the report.
    return saysNothing(answer)
      ? { outcome: 'away', why: describeAnswer(answer) }
      : { outcome: 'gone-over' };
  } catch (cause) {
    return { outcome: outcomeOf(cause), why: describeError(cause) };
  }
}
