/** The sections of the configuration about the network. */
import { like, listOf, section, text } from './config-nodes.ts';

/** TLS in the server itself. */
export const tlsSchema = section({
  cert: text({
    description:
      'Certificate of the server (PEM), with those between it and its authority. With it, the server speaks HTTPS alone.',
  }),
  key: text({ description: 'Private key of that certificate (PEM), without a passphrase.' }),
  clientCa: text({
    description:
      'Authorities (PEM) that sign the certificates of clients. With it, each client needs one, besides its token.',
  }),
});

/** Requests that the server sends. */
export const outgoingSchema = section({
  privateNetworks: listOf(
    like('^[0-9a-fA-F.:]+(/[0-9]{1,3})?$', ['10.0.0.0/8'], {}),
    'Networks and addresses, beside those of the internet, that the server may send requests to for anybody with a token: for inboxes of subscriptions and files of workflows.',
  ),
});

/** Several servers that share a database and a bucket. */
export const clusterSchema = section({
  address: like('^(\\[[0-9a-fA-F:.]+\\]|[a-zA-Z0-9._-]+):[0-9]{1,5}$', ['10.0.3.7:7784'], {
    description:
      'Host and port at which other servers with the same store and the same blobs reach this one: it is then one of several replicas. It listens there for them.',
  }),
});
