const { failing, runs } = require('../../shop.cjs');

it(failing[0], () => runs(`more ${failing[0]}`));
