/** The sections of the configuration about the network. */
import type { JSONSchema } from 'json-schema-to-ts';

/** TLS in the server itself. */
export const tlsSchema = {
  type: 'object',
  properties: {
    cert: {
      type: 'string',
      minLength: 1,
      description:
        'Certificate of the server (PEM), with those between it and its authority. With it, the server speaks HTTPS alone.',
    },
    key: {
      type: 'string',
      minLength: 1,
      description: 'Private key of that certificate (PEM), without a passphrase.',
    },
    clientCa: {
      type: 'string',
      minLength: 1,
      description:
        'Authorities (PEM) that sign the certificates of clients. With it, each client needs one, besides its token.',
    },
  },
  additionalProperties: false,
} as const satisfies JSONSchema;

/** Requests that the server sends. */
export const outgoingSchema = {
  type: 'object',
  properties: {
    privateNetworks: {
      type: 'array',
      items: {
        type: 'string',
        pattern: '^[0-9a-fA-F.:]+(/[0-9]{1,3})?$',
        examples: ['10.0.0.0/8'],
      },
      default: [],
      description:
        'Networks and addresses, beside those of the internet, that the server may send requests to for anybody with a token: for inboxes of subscriptions and files of workflows.',
    },
  },
  required: ['privateNetworks'],
  additionalProperties: false,
} as const satisfies JSONSchema;
