/** Reads a publication, and checks what a run may be told by it. */
import { isExternalEventKind, messages, OrchestratorError } from '@tutti/manifests';
import type { Publication } from '../../bus/bus.ts';
import { parsePassing } from '../../http/json-tasks.ts';
import { checkedEvent } from './external-problems.ts';
import type { PublicationInput, ReadPublication } from './publication-tasks.ts';

export function readPublication({ content, now }: PublicationInput): ReadPublication {
  const publication = publicationIn(parsePassing(content));
  const { kind } = publication;
  if (!isExternalEventKind(kind)) return { publication, checked: null };
  const { told, problems } = checkedEvent(publication, kind, now);
  return { publication, checked: { told: told === publication ? null : told, problems } };
}

export function publicationIn(body: unknown): Publication {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return { ...body };
  throw new OrchestratorError('BadRequest', messages.bodyNotJson('a JSON object is expected.'));
}
