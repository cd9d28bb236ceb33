/** Documentation of quarantine and of changes that several routes share. */
import type { DescribedOperation } from '../../../http/routes.ts';

const text = { type: 'string' } as const;

type Words = Parameters<DescribedOperation>[0];

const ID = '0b1c4a6e-7d0f-5a53-9a1e-3f6f1f2f9a10';
export const RECORD = {
  by: 'anna',
  reason: 'waits for the new driver',
  link: null,
  until: '2026-02-14T12:00:00.000000',
};
export const QUARANTINED = {
  variant_id: null,
  ...RECORD,
  from: '2026-01-31T12:00:00.000000',
  isSpared: true,
};
export const NAMED = { test_id: ID, namespace: 'default', project: 'shop', name: 'cart#adds' };

export function quarantineSchemas({ orNull, uuid, anything }: Words) {
  const said = { by: text, reason: text, link: orNull(text), until: text };
  const spared = {
    type: 'boolean',
    description: 'False while the test is broken: its failures count.',
  } as const;
  const quarantined = { variant_id: orNull(uuid), ...said, from: text, isSpared: spared };
  const change = { at: text, kind: text, variant_id: orNull(uuid), change: anything };
  const named = { test_id: uuid, namespace: text, project: text, name: text };
  return { said, quarantined, change, named };
}
