/** The services that existing clients look for, with default ports (client facts 1.2). Each has its own port or prefix. */
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
