/** A file on its way between an agent and the server, for a command whose files are collected. */
import type { AttachmentId } from '@tutti/manifests';
import { checkPhase } from './check-phase.ts';

/** `attach`, `upload` and the variables file come from the agent; the others go to it. */
export type TransferPurpose = { readonly kind: 'variables' } | RequestedPurpose;

/** A file that a step asked for; `asked` is the path in its request. */
export type RequestedPurpose =
  | {
      readonly kind: 'attach' | 'upload';
      readonly asked: string;
      /** Place among the requests of the step. */
      readonly order: number;
      readonly name: string;
      readonly parameters: Readonly<Record<string, string>>;
    }
  | {
      readonly kind: 'put' | 'download';
      readonly asked: string;
      /** Name of the blob in the scope of the run. */
      readonly blob: string;
      /** Makes the line about the failure. */
      readonly failure: (why: string) => string;
    };

/**
 * | From | Method | To |
 * |---|---|---|
 * | | `createTransfer` | `queued` |
 * | `queued`, `sent` | `send`: the server sends the order for the file, perhaps again | `sent` |
 * | `sent` | `takeBack`: the agent did not get the order, or did not begin in time | `queued` |
 */
class FileTransfer {
  readonly fileId: AttachmentId;
  /** Path on the environment, as far as it is known: see `placeTransfers`. */
  path: string;
  readonly purpose: TransferPurpose;
  /** The file goes to the agent. */
  readonly isOutgoing: boolean;
  phase: 'queued' | 'sent' = 'queued';
  sentAtMs = 0;
  /** Number of orders for it that were sent to the agent. */
  sends = 0;
  /** Requests that move it now: more than one when an agent tries again before we know that its connection broke. */
  moves = 0;
  /** The agent was sent the whole file. It reports separately that it has written it. */
  isSent = false;

  constructor(fileId: AttachmentId, path: string, purpose: TransferPurpose) {
    this.fileId = fileId;
    this.path = path;
    this.purpose = purpose;
    this.isOutgoing = purpose.kind === 'put' || purpose.kind === 'download';
  }

  send(nowMs: number): void {
    checkPhase(`File ${this.fileId}`, this.phase, ['queued', 'sent']);
    this.phase = 'sent';
    this.sentAtMs = nowMs;
    this.sends += 1;
  }

  /** Does nothing for a transfer that is queued again already. */
  takeBack(): void {
    if (this.phase === 'sent') this.phase = 'queued';
  }

  /** Sets the path, once the workspace of the job is known. */
  place(path: string): void {
    this.path = path;
  }

  beginMove(): void {
    this.moves += 1;
  }

  /** Ends a move. After a broken connection the agent may try again by itself, within the time for a start. */
  endMove(nowMs: number, isSent = false): void {
    this.moves -= 1;
    this.isSent ||= isSent;
    this.sentAtMs = nowMs;
  }
}

/** A transfer as others see it. Only methods of the class change it. */
export type Transfer = Readonly<FileTransfer>;

export const createTransfer = (...args: ConstructorParameters<typeof FileTransfer>): Transfer =>
  new FileTransfer(...args);
