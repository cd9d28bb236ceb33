/** The services that existing clients look for, each at its own port or prefix, with their default ports (client facts 1.2). */
export const SERVICE_PORTS = {
  receptionist: 7774,
  observer: 7775,
  killswitch: 7776,
  eventbus: 38368,
  agentchannel: 24368,
  qualitygate: 12312,
  localstore: 34537,
  insightcollector: 7796,
} as const;

export type ServiceName = keyof typeof SERVICE_PORTS;
