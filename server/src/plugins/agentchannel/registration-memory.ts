/** The memory of a registration, and the namespaces whose share it takes. */
import type { AgentRegistration } from '@tutti/manifests';
import type { SharedBy } from '../../runtime/byte-shares.ts';
import { heapBytes } from '../../runtime/heap-bytes.ts';

export function memoryOf(registration: AgentRegistration): readonly [SharedBy, number] {
  const namespaces = (registration.metadata.namespaces || 'default').split(',');
  return [namespaces.includes('*') ? '*' : namespaces, heapBytes(registration)];
}
