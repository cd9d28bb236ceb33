/**
 * Identifiers of the interface (specification part 1): every `{..._id}` is a UUID, 8-4-4-4-12 hexadecimal digits. Each kind of id is a type
 * of its own, so that swapping two of them does not compile. Only parsers create ids.
 */
import { OrchestratorError } from './status.ts';

declare const brand: unique symbol;
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };

export type WorkflowId = Brand<string, 'WorkflowId'>;
export type JobId = Brand<string, 'JobId'>;
export type StepId = Brand<string, 'StepId'>;
export type AgentId = Brand<string, 'AgentId'>;
export type ChannelId = Brand<string, 'ChannelId'>;
export type AttachmentId = Brand<string, 'AttachmentId'>;
export type FileId = Brand<string, 'FileId'>;
export type SubscriptionId = Brand<string, 'SubscriptionId'>;
export type PublicationId = Brand<string, 'PublicationId'>;

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function isUuid(text: unknown): text is string {
  return typeof text === 'string' && UUID.test(text);
}

/** Parses any kind of id; throws `Invalid` naming the kind. Ids are compared in lower case. */
export function parseId<Id extends Brand<string, string>>(kind: string, text: unknown): Id {
  if (!isUuid(text)) {
    throw new OrchestratorError('Invalid', `Not a valid ${kind}: ${JSON.stringify(text)}.`);
  }
  return text.toLowerCase() as Id;
}

export const parseWorkflowId = (text: unknown): WorkflowId => parseId('workflow id', text);
export const parseAgentId = (text: unknown): AgentId => parseId('agent id', text);
export const parseAttachmentId = (text: unknown): AttachmentId => parseId('attachment id', text);
export const parseFileId = (text: unknown): FileId => parseId('file id', text);
export const parseSubscriptionId = (text: unknown): SubscriptionId =>
  parseId('subscription id', text);
