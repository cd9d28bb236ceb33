import { expect, test } from 'vitest';
import {
  type Asker,
  OutgoingPolicy,
  type OutgoingPolicyOptions,
  type Resolve,
} from './outgoing-policy.ts';

const policyWith = (more: Partial<OutgoingPolicyOptions> = {}): OutgoingPolicy =>
  new OutgoingPolicy({
    privateNetworks: [],
    ownAddresses: () => ['192.168.7.7', 'fd07::7'],
    ...more,
  });

/** A resolver of the test: each name has the addresses of its turn, one list after the other. */
function resolving(...turns: readonly (readonly string[])[]): Resolve {
  const left = [...turns];
  return (_hostname, _options, callback) => {
    const addresses = left.shift() ?? [];
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
}

const refusal = (policy: OutgoingPolicy, url: string, asker: Asker = 'anybody') =>
  policy.refusalOf(new URL(url), asker);

const NOT_LISTED = 'of a private network, which outgoing.privateNetworks does not list';

test.each([
  ...['127.0.0.1', '2130706433', '0177.0.0.1', '0x7f.1', '127.1', '0', '[::1]', '[::]'],
  ...['[::ffff:7f00:1]', '[::ffff:10.0.0.1]', '[64:ff9b::7f00:1]', '[2002:7f00:1::]', '[::7f00:1]'],
  ...['10.0.0.1', '169.254.169.254', '100.64.0.1', '198.18.0.1', '[fe80::1]', '[fd00::1]'],
  ...['localhost', 'localhost.', 'a.localhost', 'user:pass@127.0.0.1', 'example.org@10.0.0.1'],
])('only the operator may name http://%s', async (host) => {
  const policy = policyWith();
  expect(await refusal(policy, `http://${host}/x`)).toContain(NOT_LISTED);
  expect(await refusal(policy, `http://${host}/x`, 'operator')).toBeNull();
});

test('a program of the machine may name the machine, and no network', async () => {
  const policy = policyWith();
  for (const host of ['127.0.0.1', '127.9.9.9', '[::1]', '0.0.0.0', '192.168.7.7']) {
    expect(await refusal(policy, `http://${host}/`, 'machine')).toBeNull();
  }
  for (const host of ['10.0.0.1', '192.168.7.8', '169.254.169.254', '[::ffff:7f00:1]']) {
    expect(await refusal(policy, `http://${host}/`, 'machine')).toContain(NOT_LISTED);
  }
});

test('networks that the operator lists may be named, and no others', async () => {
  const policy = policyWith({ privateNetworks: ['10.1.0.0/16', '192.168.5.5', 'fd00::/8'] });
  for (const host of ['10.1.2.3', '192.168.5.5', '[fd12::1]', '[::ffff:10.1.2.3]']) {
    expect(await refusal(policy, `http://${host}/`)).toBeNull();
  }
  for (const host of ['10.2.0.1', '192.168.5.6', '127.0.0.1', '[fe80::1]', '[::ffff:10.2.0.1]']) {
    expect(await refusal(policy, `http://${host}/`)).toContain(NOT_LISTED);
  }
});

test.each(['10.0.0.0/33', 'plugin', '10.0.0/8', '::/129', '10.0.0.0/x', ''])(
  '%j is no network',
  (network) => {
    expect(() => policyWith({ privateNetworks: [network] })).toThrow(
      `Not a valid configuration: outgoing.privateNetworks: "${network}" is no network`,
    );
  },
);

test.each([
  ...['127.0.0.1', '127.0.0.2', '0.0.0.0', '[::1]', '[::]', '[::ffff:7f00:1]', '192.168.7.7'],
  ...['[::ffff:192.168.7.7]', '[::ffff:0.0.0.0]', '[fd07::7]'],
])('the server does not ask itself at %s, whatever is listed', async (host) => {
  const policy = policyWith({ privateNetworks: ['0.0.0.0/0', '::/0'] });
  expect(await refusal(policy, `http://${host}:7774/publications`)).toBeNull();
  policy.listensOn([7774, 443]);
  for (const asker of ['anybody', 'machine'] as const) {
    expect(await refusal(policy, `http://${host}:7774/publications`, asker)).toContain(
      ':7774 is an address of this server',
    );
  }
  expect(await refusal(policy, `https://${host}/`)).toContain(':443 is an address of this server');
  expect(await refusal(policy, `http://${host}:7775/`)).toBeNull();
  expect(await refusal(policy, 'http://10.0.0.1:7774/')).toBeNull();
});

test('a name counts as its address, which is not shown', async () => {
  const policy = policyWith({ resolve: resolving(['10.0.0.9'], ['1.1.1.1'], []) });
  expect(await refusal(policy, 'http://inner.example/')).toBe(
    `inner.example is an address ${NOT_LISTED}`,
  );
  expect(await refusal(policy, 'http://inner.example/')).toBeNull();
  expect(await refusal(policy, 'http://inner.example/')).toBe('inner.example has no address');
});

test('only allowed addresses of a name are connected to', async () => {
  const resolve = resolving(['10.0.0.1', '2606:4700::1111', '127.0.0.1', '1.1.1.1']);
  const { lookup } = policyWith({ resolve }).wayTo(new URL('http://both.example/'), 'anybody');
  const found = await new Promise((done) =>
    lookup('both.example', { all: true }, (_error, addresses) => done(addresses)),
  );
  expect(found).toEqual([
    { address: '2606:4700::1111', family: 6 },
    { address: '1.1.1.1', family: 4 },
  ]);
});

test('a name that is not known yet may be named', async () => {
  const resolve: Resolve = (_hostname, _options, callback) =>
    callback(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }), []);
  expect(await refusal(policyWith({ resolve }), 'http://later.example/')).toBeNull();
});
