const { failing, passing, runs } = require('../shop.cjs');

test(failing[0], () => runs(failing[0]));
test(passing[0], () => runs(`cart ${passing[0]}`));
