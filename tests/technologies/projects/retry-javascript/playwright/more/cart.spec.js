const { test } = require('@playwright/test');
const { failing, runs } = require('../../shop.cjs');

test(failing[0], () => runs(`more ${failing[0]}`));
