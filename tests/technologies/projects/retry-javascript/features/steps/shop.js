const { When } = require('@cucumber/cucumber');
const { runs } = require('../../shop.cjs');

When('{string} runs', (name) => runs(name));
