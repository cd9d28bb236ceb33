require('./no-such-module.js');

test('is never reached', () => {});
