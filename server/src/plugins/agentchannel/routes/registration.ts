/** AgentRegistrations as agents send them (specification 2.2; wire facts 3.2 and 4.1), in the one form that the server keeps. */
import {
  type AgentRegistration,
  acceptedApiVersions,
  agentRegistrationSchema,
  type ChannelOs,
  messages,
  plainNamespaces,
  withApiVersions,
} from '@tutti/manifests';
import { createValidator, invalidDocument } from '../../../http/validate.ts';

const SYSTEMS: readonly ChannelOs[] = ['linux', 'macos', 'windows'];

/** Reads bodies of `POST /agents`; throws `Invalid`, which lists each problem with its path. */
export function createRegistrationReader(apiGroup: string): (body: unknown) => AgentRegistration {
  const versions = acceptedApiVersions('AgentRegistration', apiGroup);
  const validator = createValidator(withApiVersions(agentRegistrationSchema, versions));
  return (body) => {
    const manifest = validator.parse(body, messages.agentInvalid());
    checkSystem(manifest);
    return withPlainNamespaces(manifest);
  };
}

/** The system decides on shell and script, so an agent may not name two; without one it counts as linux. */
function checkSystem({ spec }: AgentRegistration): void {
  const systems = SYSTEMS.filter((system) => spec.tags.includes(system));
  if (systems.length <= 1) return;
  const problem = `spec.tags: must have only one of ${systems.map((tag) => `"${tag}"`).join(', ')}`;
  throw invalidDocument(messages.agentInvalid(), [problem]);
}

function withPlainNamespaces(manifest: AgentRegistration): AgentRegistration {
  const { namespaces } = manifest.metadata;
  if (namespaces === undefined) return manifest;
  const plain = plainNamespaces(namespaces);
  return { ...manifest, metadata: { ...manifest.metadata, namespaces: plain } };
}
