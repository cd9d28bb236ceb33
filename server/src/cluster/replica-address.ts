/** Addresses of replicas: `HOST:PORT`, with brackets around an IPv6 address. */
import { OrchestratorError } from '@tutti/manifests';

export interface ReplicaAddress {
  readonly host: string;
  readonly port: number;
}

const ADDRESS = /^(?:\[([0-9a-fA-F:.]+)\]|([a-zA-Z0-9._-]+)):(\d{1,5})$/;

/** Throws `Invalid` for any other text. */
export function parseReplicaAddress(text: string): ReplicaAddress {
  const [whole, ipv6, name = '', port = ''] = ADDRESS.exec(text) ?? [];
  if (whole !== undefined && Number(port) > 0 && Number(port) <= 65_535) {
    return { host: ipv6 ?? name, port: Number(port) };
  }
  throw new OrchestratorError(
    'Invalid',
    'cluster.address is wrong: it is a host and a port like 10.0.3.7:7784.',
  );
}
