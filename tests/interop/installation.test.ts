/** Behaviour of the suite where a program cannot be installed. */
import { expect, test } from 'vitest';
import { need } from '../support/found-tool.ts';
import { installed } from './installation.ts';

test('a version that PyPI does not have fails, and is not skipped', async (context) => {
  need(await installed({ program: 'opentf-agent', version: '1.7.0' }), 'PyPI', context);
  await expect(installed({ program: 'opentf-agent', version: '0.0.1' })).rejects.toThrow(
    /No matching distribution found for opentf-agent==0\.0\.1/,
  );
});

test('where no index answers, the program is missing', async (context) => {
  need(await installed({ program: 'opentf-agent', version: '1.7.0' }), 'PyPI', context);
  const { PIP_INDEX_URL } = process.env;
  process.env.PIP_INDEX_URL = 'http://127.0.0.1:9/simple';
  try {
    const found = await installed({ program: 'opentf-agent', version: '0.0.2' });
    expect(found).toEqual({ missing: 'PyPI cannot be reached' });
  } finally {
    if (PIP_INDEX_URL === undefined) delete process.env.PIP_INDEX_URL;
    else process.env.PIP_INDEX_URL = PIP_INDEX_URL;
  }
});
