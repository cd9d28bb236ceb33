/** One row for each statement on workflow commands in the wire facts, part 5. Tests of the agent channel hold the commands that move files. */
import { describe, expect, test } from 'vitest';
import { carryOver, createOutputState, type OutputLines, readOutput } from './output.ts';

interface Said {
  readonly logs: readonly string[];
  readonly outputs: Readonly<Record<string, string>>;
  readonly requests: readonly object[];
  /** Null: that of the process. */
  readonly status: number | null;
}

/** Plays the steps of one job; returns logs and requests of the last one. */
function said(...steps: readonly (readonly OutputLines[])[]): Said {
  let state = createOutputState();
  let last: Said = { logs: [], outputs: {}, requests: [], status: null };
  for (const batch of steps) {
    const reading = readOutput(carryOver(state), batch);
    state = reading.state;
    const { outputs, statusOverride } = state;
    last = { logs: reading.logs, requests: reading.requests, outputs, status: statusOverride };
  }
  return last;
}

const out = (...lines: readonly string[]): OutputLines => ({ stream: 'stdout', lines });
const err = (...lines: readonly string[]): OutputLines => ({ stream: 'stderr', lines });

type Row = readonly [
  statement: string,
  steps: readonly (readonly OutputLines[])[],
  said: Partial<Said>,
];

const one = (...lines: readonly string[]) => [[out(...lines)]];

const rows: readonly Row[] = [
  [
    // Language 5: One command per line of standard output, at its beginning.
    'one command per stdout line',
    one('::error::a', '::error::b'),
    { logs: ['ERROR,a', 'ERROR,b'] },
  ],
  // Language 5: One command per line of standard output, at its beginning.
  ['recognised only at line start', one(' ::error::a'), { logs: [' ::error::a'] }],
  // Language 5: Lines of standard error are no commands, come after the others, and are masked.
  ['stderr lines are never parsed', [[err('::error::a')]], { logs: ['::error::a'] }],
  // Language 5: Lines of standard error are no commands, come after the others, and are masked.
  ['stderr lines are masked', [[out('::add-mask::abc'), err('an abc')]], { logs: ['an ***'] }],
  [
    // Language 5: Lines of standard error are no commands, come after the others, and are masked.
    'they are appended after all stdout lines where an agent sends both at once',
    [[out('a', 'b'), err('c')]],
    { logs: ['a', 'b', 'c'] },
  ],
  [
    // Language 5: Names of commands have their case.
    'commands are case-sensitive',
    one('::Error::a', '::SET-OUTPUT name=a::b'),
    { logs: ['::Error::a', '::SET-OUTPUT name=a::b'], outputs: {} },
  ],
  [
    // Language 5: `set-output`: names of a form, and the last one wins.
    'set-output sets an output',
    one('::set-output name=a_1-b::v::w'),
    { outputs: { 'a_1-b': 'v::w' }, logs: [] },
  ],
  [
    // Language 5: `set-output`: names of a form, and the last one wins.
    'the last output of a name wins',
    one('::set-output name=a::1', '::set-output name=a::2'),
    { outputs: { a: '2' } },
  ],
  [
    // Language 5: `set-output`: names of a form, and the last one wins.
    'names of outputs begin with a letter or _',
    one('::set-output name=1::v'),
    { outputs: {}, logs: ['::set-output name=1::v'] },
  ],
  [
    // Language 5: `attach`, with and without parameters.
    'attach, with and without parameters',
    one('::attach::a', '::attach type=t,name=n::b'),
    {
      requests: [
        { kind: 'attach', path: 'a', parameters: {} },
        { kind: 'attach', path: 'b', parameters: { type: 't', name: 'n' } },
      ],
    },
  ],
  [
    // Language 5: `upload`, with the parameters of `attach`; the run gets the file.
    'upload takes the parameters of attach',
    one('::upload type=t,name=n::a'),
    { requests: [{ kind: 'upload', path: 'a', parameters: { type: 't', name: 'n' } }] },
  ],
  [
    // Language 5: `download` of a file or by a pattern.
    'download of a file',
    one('::download file=f::a'),
    { requests: [{ kind: 'download', path: 'a', parameters: { file: 'f' } }] },
  ],
  [
    // Language 5: `download` of a file or by a pattern.
    'download by a pattern',
    one('::download pattern=p*::a'),
    { requests: [{ kind: 'download', path: 'a', parameters: { pattern: 'p*' } }] },
  ],
  [
    // Language 5: `download` of a file or by a pattern.
    'download without parameters, and without a path',
    one('::download::'),
    { requests: [{ kind: 'download', path: '', parameters: {} }], status: null },
  ],
  [
    'download without a path, and without the colons before it',
    one('::download', '::download file=f', '::download pattern=a b*'),
    {
      requests: [
        { kind: 'download', path: '', parameters: {} },
        { kind: 'download', path: '', parameters: { file: 'f' } },
        { kind: 'download', path: '', parameters: { pattern: 'a b*' } },
      ],
      logs: [],
    },
  ],
  [
    'download with other words is an ordinary line',
    one('::download failed', '::downloads', '::attach type=t'),
    { requests: [], logs: ['::download failed', '::downloads', '::attach type=t'], status: null },
  ],
  [
    // Language 5: `download`: both parameters are refused, none means all.
    'download by both fails',
    one('::download file=a,pattern=b::c'),
    { requests: [], logs: ['ERROR,Cannot specify both "file" and "pattern".'], status: 2 },
  ],
  [
    // Language 5: `put` of a resource file.
    'put of a resource file',
    one('::put file=f::a'),
    { requests: [{ kind: 'put', path: 'a', parameters: { file: 'f' } }] },
  ],
  // Language 5: `debug`, `warning` and `error` are lines of the log; parameters do nothing.
  ['debug', one('::debug::m'), { logs: ['DEBUG,m'] }],
  ['notice', one('::notice::m', '::notice file=a::n'), { logs: ['NOTICE,m', 'NOTICE,n'] }],
  [
    // Language 5: `debug`, `warning` and `error` are lines of the log; parameters do nothing.
    'warning, whose parameters are ignored',
    one('::warning::m', '::warning file=a,line=1,col=2::n'),
    { logs: ['WARNING,m', 'WARNING,n'] },
  ],
  [
    // Language 5: `debug`, `warning` and `error` are lines of the log; parameters do nothing.
    'error, whose parameters are ignored',
    one('::error::m', '::error file=a,line=1,col=2::n'),
    { logs: ['ERROR,m', 'ERROR,n'] },
  ],
  [
    // Language 5: `add-mask` hides a text from then on.
    'add-mask hides a text as a part of later lines',
    one('abc', '::add-mask::abc', 'xabcy'),
    { logs: ['abc', 'x***y'] },
  ],
  [
    // Language 5: `stop-commands` drops all lines until its token.
    'stop-commands drops all lines until its token',
    one('::stop-commands::T', 'a', '::error::b', '::T::', 'c'),
    { logs: ['c'] },
  ],
  [
    // Language 5: `stop-commands` drops all lines until its token.
    'tokens have letters, digits and _',
    one('::stop-commands::a b', 'c'),
    { logs: ['::stop-commands::a b', 'c'] },
  ],
  [
    // Language 5: There is no `set-env`.
    'there is no set-env',
    one('::set-env name=a::b'),
    { logs: ['::set-env name=a::b'], outputs: {} },
  ],
  [
    // Language 5: Commands are not in the log; other lines are, without blanks at their end, masked.
    'command lines do not appear in the log',
    one('::add-mask::abc', '::set-output name=a::b', '::attach::c'),
    { logs: [] },
  ],
  [
    // Language 5: Commands are not in the log; other lines are, without blanks at their end, masked.
    'other lines are logged, right-trimmed',
    one('  a  ', '::other::b', ':: c'),
    { logs: ['  a', '::other::b', ':: c'] },
  ],
  [
    // Language 5: Masks do not change outputs and attachments.
    'masks do not apply to outputs',
    one('::add-mask::abc', '::set-output name=a::abc'),
    { outputs: { a: 'abc' } },
  ],
  [
    // Language 5: Masks do not change outputs and attachments.
    'masks do not apply to attachments',
    one('::add-mask::abc', '::attach::abc'),
    { requests: [{ kind: 'attach', path: 'abc', parameters: {} }] },
  ],
  [
    // Language 5: Masks and stopped commands go on from step to step.
    'the mask list survives from step to step',
    [[out('::add-mask::abc')], [out('abc')]],
    { logs: ['***'] },
  ],
  [
    // Language 5: Masks and stopped commands go on from step to step.
    'the stop state survives from step to step',
    [[out('::stop-commands::T')], [out('a', '::T::', 'b')]],
    { logs: ['b'] },
  ],
  // Language 5: Masks and stopped commands go on from step to step.
  ['outputs do not', [[out('::set-output name=a::b')], [out('c')]], { outputs: {} }],
  [
    // Language 5: Parameters are separated by commas, without blanks around them.
    'parameters are separated by commas and trimmed',
    one('::attach  type = t , name = n ::a'),
    { requests: [{ kind: 'attach', path: 'a', parameters: { type: 't', name: 'n' } }] },
  ],
  [
    // Language 5: A parameter without a value fails the step and is told.
    'a piece without = fails',
    one('::attach type=t,oops::a'),
    { logs: ['ERROR,Invalid workflow command parameter: oops.'], status: 2 },
  ],
];

describe('workflow commands', () => {
  test.each(rows)('%s', (_statement, steps, expected) => {
    expect(said(...steps)).toMatchObject(expected);
  });
});
