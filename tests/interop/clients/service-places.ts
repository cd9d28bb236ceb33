/** Ports and prefixes for each service, as existing clients are configured for them. */
import { freePort } from '../../support/free-port.ts';

export const SERVICES = [
  ...['receptionist', 'observer', 'killswitch', 'eventbus', 'agentchannel'],
  ...['qualitygate', 'localstore', 'insightcollector'],
];

export type Ports = Readonly<Record<string, number>>;

export async function freePorts(): Promise<Ports> {
  return Object.fromEntries(
    await Promise.all(SERVICES.map(async (name) => [name, await freePort()] as const)),
  );
}

/** The configuration of a server that has each service there, and below `/of/` and its name. */
export const onPorts = (ports: Ports) => ({
  servicePorts: true,
  services: SERVICES.map((name) => ({ name, port: ports[name], prefix: `/of/${name}` })),
});
