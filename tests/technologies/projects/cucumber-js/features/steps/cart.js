const { strictEqual } = require('node:assert');
const { Then, When } = require('@cucumber/cucumber');

When('{int} is added to {int}', function (one, other) {
  this.sum = one + other;
});
When('it is skipped', () => 'skipped');
Then('it is {int}', function (wanted) {
  strictEqual(this.sum, wanted);
});
