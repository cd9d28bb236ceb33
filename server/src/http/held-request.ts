/**
 * Handles requests whose token ends while they are held, stream, or transfer a long body. The connection is closed, so that no
 * further byte passes. If no answer has begun, it gets the refusal of the next request. Handlers see a broken connection.
 */
import { type OrchestratorError, status } from '@tutti/manifests';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Access } from '../auth/access.ts';
import type { HeldToken, HeldTokens } from '../auth/held-tokens.ts';
import { bringsToken } from '../auth/login.ts';
import { answerOn } from './unreadable-requests.ts';

export interface Grant {
  /** Checks that its token still counts, before data is handed over. Throws after closing the connection. */
  check(): Promise<void>;
}

/** The grant of a request without a token. */
export const LASTING_GRANT: Grant = { check: async () => {} };

/** Watches the token of a request until its answer was sent or its connection broke. */
export function holdRequest(
  heldTokens: HeldTokens,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const { authorization = '' } = request.headers;
  const { raw } = reply;
  if (!bringsToken(authorization) || raw.destroyed) return;
  const held = new HeldRequest(heldTokens, authorization, request, reply);
  request.grant = held;
  heldTokens.hold(held);
  // The event comes once; `once` would create two more functions for each request.
  raw.on('close', () => heldTokens.release(held));
}

class HeldRequest implements HeldToken, Grant {
  readonly authorization: string;
  readonly access: Access;
  readonly #heldTokens: HeldTokens;
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;

  constructor(
    heldTokens: HeldTokens,
    authorization: string,
    request: FastifyRequest,
    reply: FastifyReply,
  ) {
    this.authorization = authorization;
    this.access = request.access;
    this.#heldTokens = heldTokens;
    this.#request = request;
    this.#reply = reply;
  }

  check(): Promise<void> {
    return this.#heldTokens.check(this);
  }

  end({ reason, message, details }: OrchestratorError): void {
    const { raw } = this.#reply;
    const { socket } = raw;
    this.#request.log.info({ why: message }, 'A request was closed: its token counts no more.');
    if (!raw.headersSent && socket?.writable === true) {
      answerOn(socket, status(reason, message, details));
    }
    // The answer above has left the process already; later output of a handler is discarded.
    raw.destroy();
  }
}
