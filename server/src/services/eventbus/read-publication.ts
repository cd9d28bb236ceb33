/** Reads a publication, and checks its content for a run. */
import { isExternalEventKind, messages, OrchestratorError, type Timestamp } from '@tutti/manifests';
import type { Publication } from '../../bus/bus.ts';
import { parsePassing } from '../../http/json-tasks.ts';
import type { Problem } from '../../http/validate.ts';
import { checkedEvent } from './external-problems.ts';

export interface PublicationInput {
  readonly content: Uint8Array;
  readonly now: Timestamp;
}

export interface ReadPublication {
  readonly publication: Publication;
  /** Null before the check, and for kinds that no run accepts from outside. */
  readonly checked: {
    /** The form for the run; null if unchanged. */
    readonly sent: Publication | null;
    readonly problems: readonly Problem[];
  } | null;
}

export function readPublication({ content, now }: PublicationInput): ReadPublication {
  const publication = publicationIn(parsePassing(content));
  const { kind } = publication;
  if (!isExternalEventKind(kind)) return { publication, checked: null };
  const { sent, problems } = checkedEvent(publication, kind, now);
  return { publication, checked: { sent: sent === publication ? null : sent, problems } };
}

export function publicationIn(body: unknown): Publication {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return { ...body };
  throw new OrchestratorError('BadRequest', messages.bodyNotJson('a JSON object is expected.'));
}
