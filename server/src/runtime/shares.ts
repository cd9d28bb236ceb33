/**
 * Checks parts of a limit. One subject, and one namespace, gets only a part of the total, so that others get theirs. The owner of
 * the limit checks the total.
 */
import { OrchestratorError } from '@tutti/manifests';
import { Counts } from './counts.ts';

/** The holder of a part: the subject of a token, and its namespaces; `*` means all. */
export interface Holder {
  readonly subject: string;
  readonly namespaces: ReadonlySet<string> | '*';
}

/** A holder of a limit with parts only for namespaces. */
export type NamespaceHolder = Omit<Holder, 'subject'> & { readonly subject: null };

/** The parts, as fractions of each limit. */
export interface ShareFractions {
  readonly subjectShare: number;
  readonly namespaceShare: number;
}

export interface SharedLimit extends ShareFractions {
  /** The things that are counted: `answers that stay open (limits.followers)`. */
  readonly things: string;
  readonly total: number;
}

/** Gives a share back. Call it once, when the holder no longer needs the share. */
export type Leave = () => void;

/** A token for all namespaces belongs to an administrator, or to an installation with one token. It gets twice the share. */
const ALL_NAMESPACES_FACTOR = 2;

export class Shares {
  readonly #limit: SharedLimit;
  readonly #ofSubjects = new Counts();
  readonly #ofNamespaces = new Counts();

  constructor(limit: SharedLimit) {
    this.#limit = limit;
  }

  /** Counts `amount` for its holder. Throws `TooManyRequests`, which names the share, beyond the holder's part. */
  take(holder: Holder, amount = 1): Leave {
    const refusal = this.refusal(holder, amount);
    if (refusal !== null) throw refusal;
    this.add(holder, amount);
    return () => this.add(holder, -amount);
  }

  /** Refusal if the holder may not have `amount` more; else null. */
  refusal(holder: Holder | NamespaceHolder, amount = 1): OrchestratorError | null {
    return this.refusalOfSubject(holder, amount) ?? this.refusalOfNamespace(holder, amount);
  }

  refusalOfSubject(
    { subject, namespaces }: Holder | NamespaceHolder,
    amount: number,
  ): OrchestratorError | null {
    const max = this.#part(this.#limit.subjectShare * factorOf(namespaces));
    if (subject === null || this.#ofSubjects.of(subject) + amount <= max) return null;
    return this.#tooMany(`User "${subject}"`, max, 'one subject', 'limits.subjectShare');
  }

  refusalOfNamespace(
    { namespaces }: Holder | NamespaceHolder,
    amount: number,
  ): OrchestratorError | null {
    if (namespaces === '*') return null;
    const maxOfNamespace = this.#part(this.#limit.namespaceShare);
    for (const namespace of namespaces) {
      if (this.#ofNamespaces.of(namespace) + amount <= maxOfNamespace) continue;
      const who = `Namespace "${namespace}"`;
      return this.#tooMany(who, maxOfNamespace, 'one namespace', 'limits.namespaceShare');
    }
    return null;
  }

  /** Counts without a check; a negative amount is given back. */
  add({ subject, namespaces }: Holder | NamespaceHolder, amount = 1): void {
    if (subject !== null) this.#ofSubjects.add(subject, amount);
    if (namespaces === '*') return;
    for (const namespace of namespaces) this.#ofNamespaces.add(namespace, amount);
  }

  #part(fraction: number): number {
    return Math.max(1, Math.floor(Math.min(1, fraction) * this.#limit.total));
  }

  #tooMany(who: string, max: number, part: string, key: string): OrchestratorError {
    const { things, total } = this.#limit;
    return new OrchestratorError(
      'TooManyRequests',
      `${who} may have ${max} of the ${total} ${things}: the share of ${part} (${key}). Try again later.`,
    );
  }
}

const factorOf = (namespaces: Holder['namespaces']): number =>
  namespaces === '*' ? ALL_NAMESPACES_FACTOR : 1;
