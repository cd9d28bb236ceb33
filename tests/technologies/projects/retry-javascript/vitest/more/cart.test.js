import { createRequire } from 'node:module';
import { test } from 'vitest';

const { failing, runs } = createRequire(import.meta.url)('../../shop.cjs');

test(failing[0], () => runs(`more ${failing[0]}`));
