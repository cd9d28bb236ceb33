/**
 * Bounds the memory of request bodies. Bytes count as they arrive, so a sender that only announces bytes takes none. Each subject
 * and each namespace has a share of the total.
 *
 * At the bound a body is refused. Bodies of agents wait unread instead, because existing agents take a refusal for an
 * acknowledgement. The oldest body of a subject continues within its namespace's share, and that of a namespace within the total.
 * The oldest of all always continues, so that bodies never wait for each other.
 */
import { OrchestratorError } from '@tutti/manifests';
import { type Holder, type SharedLimit, Shares } from '../runtime/shares.ts';

export interface BodyLease {
  /**
   * Counts received bytes. Throws `TooManyRequests` (the share) or `ServiceUnavailable` (the total). A body that may wait gets
   * false instead, and is read again when `whenRoom` calls.
   */
  take(bytes: number): boolean;
  /** Bytes that are no longer in memory, as they went to a file. */
  give(bytes: number): void;
  whenRoom(resume: () => void): void;
  /** May be called more than once. */
  end(): void;
}

/** Bytes of one read of a connection. */
const PIECE_BYTES = 64 * 1024;

const hasSameSubject = (one: Holder, other: Holder): boolean => one.subject === other.subject;

function hasSameNamespace({ namespaces: one }: Holder, { namespaces: other }: Holder): boolean {
  if (one === '*' || other === '*') return false;
  for (const namespace of one) if (other.has(namespace)) return true;
  return false;
}

interface OpenBody {
  readonly holder: Holder;
  bytes: number;
  resume: (() => void) | null;
}

export class BodyMemory {
  readonly #limit: SharedLimit;
  readonly #shares: Shares;
  /** In the order in which they began. */
  readonly #open = new Set<OpenBody>();
  #bytes = 0;
  #waiting = 0;

  constructor(limit: SharedLimit) {
    this.#limit = limit;
    this.#shares = new Shares(limit);
  }

  get bytes(): number {
    return this.#bytes;
  }

  open(holder: Holder, mayWait: boolean): BodyLease {
    const body: OpenBody = { holder, bytes: 0, resume: null };
    this.#open.add(body);
    return {
      take: (bytes) => this.#take(body, bytes, mayWait),
      give: (bytes) => this.#give(body, bytes),
      whenRoom: (resume) => {
        if (body.resume === null) this.#waiting += 1;
        body.resume = resume;
      },
      end: () => this.#end(body),
    };
  }

  #take(body: OpenBody, bytes: number, mayWait: boolean): boolean {
    const refusal = this.#refusal(body, bytes);
    if (refusal !== null && !mayWait) throw refusal;
    this.#count(body, bytes);
    return refusal === null;
  }

  #give(body: OpenBody, bytes: number): void {
    if (!this.#open.has(body)) return;
    this.#count(body, -bytes);
    this.#wake();
  }

  #end(body: OpenBody): void {
    if (!this.#open.delete(body)) return;
    if (body.resume !== null) this.#waiting -= 1;
    this.#count(body, -body.bytes);
    this.#wake();
  }

  #count(body: OpenBody, bytes: number): void {
    body.bytes += bytes;
    this.#bytes += bytes;
    this.#shares.add(body.holder, bytes);
  }

  #refusal(body: OpenBody, bytes: number): OrchestratorError | null {
    const [oldest] = this.#open;
    if (oldest === body) return null;
    if (this.#bytes + bytes > this.#limit.total) return this.#full();
    const ofSubject = this.#shares.refusalOfSubject(body.holder, bytes);
    if (ofSubject !== null && !this.#isOldest(body, hasSameSubject)) return ofSubject;
    const ofNamespace = this.#shares.refusalOfNamespace(body.holder, bytes);
    return ofNamespace === null || this.#isOldest(body, hasSameNamespace) ? null : ofNamespace;
  }

  #isOldest(body: OpenBody, isAlike: (one: Holder, other: Holder) => boolean): boolean {
    for (const other of this.#open) {
      if (other === body || isAlike(other.holder, body.holder)) return other === body;
    }
    return false;
  }

  #wake(): void {
    if (this.#waiting === 0) return;
    let promised = PIECE_BYTES;
    for (const body of this.#open) {
      if (body.resume === null || this.#refusal(body, promised) !== null) continue;
      const { resume } = body;
      body.resume = null;
      this.#waiting -= 1;
      promised += PIECE_BYTES;
      resume();
    }
  }

  #full(): OrchestratorError {
    const { total, things } = this.#limit;
    return new OrchestratorError(
      'ServiceUnavailable',
      `The server has ${total} ${things}, which is the limit. Try again later.`,
    );
  }
}
