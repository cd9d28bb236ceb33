const { test } = require('node:test');
const { failing, runs } = require('../../shop.cjs');

test('more', () => runs(`more ${failing[0]}`));
