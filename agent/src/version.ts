/** Sent at registration and shown in listings; that of the package. */
export const AGENT_VERSION = '0.1.0';
