/** Twenty tests, three of which fail in their first execution. Each execution is a line of a file. */
const { appendFileSync, readFileSync } = require('node:fs');

/** Fails in the first execution of a test that fails once. */
exports.runs = (name) => {
  appendFileSync(process.env.EXECUTIONS, `${name}\n`);
  const lines = readFileSync(process.env.EXECUTIONS, 'utf8').split('\n');
  const isFirst = lines.filter((line) => line === name).length === 1;
  if (isFirst && exports.failing.includes(name)) throw new Error('the shop is closed');
};

exports.failing = ['opens a.c', 'takes $(touch breach) "[é]" | 50%', "it's `touch breach` (1+1)?^$"];

/** Most passing titles are found by careless patterns of the failing ones. */
exports.passing = [
  ...['opens', 'opens abc', 'Opens a.c!', 'also opens a.c', 'a.c', 'opens a.c d', 'takes', 'takes $'],
  ...['takes $(touch breach)', 'takes "[é]"', "it's", "it's 11", 'é', 'cart', '50%', 'adds', 'adds 2'],
];
