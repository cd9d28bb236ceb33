/* biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so. */
import type {
  ChannelOs,
  InputValues,
  ProviderFunctionManifest,
  WorkflowStep,
} from '@tutti/manifests';
import { describe, expect, test } from 'vitest';
import { providerOfManifest } from './manifest-provider.ts';

const described: ProviderFunctionManifest = {
  name: 'a/b@v1',
  description: 'It.',
  inputs: { test: { description: 'The test.' }, more: { description: 'More.' } },
  steps: [{ run: 'x' }],
};

async function call(
  more: Partial<ProviderFunctionManifest>,
  inputs: InputValues = {},
  os: ChannelOs = 'linux',
): Promise<readonly WorkflowStep[]> {
  const provider = providerOfManifest({
    apiVersion: 'tutti/v1',
    kind: 'Provider',
    metadata: { name: 'a' },
    functions: [{ ...described, ...more }],
  });
  const [called] = provider.functions;
  return (await called?.call(inputs, { os })) ?? [];
}

async function scriptOf(
  command: readonly (string | number)[],
  inputs: InputValues,
  os: ChannelOs = 'linux',
): Promise<string | undefined> {
  const [step] = await call({ steps: [{ command }] }, inputs, os);
  return step?.run;
}

describe('the workspace', () => {
  const file = '${{ runner.workspace }}/a b.xml';

  test.each<[os: ChannelOs, line: string]>([
    ['linux', 'run --out="${OPENTF_WORKSPACE:-$PWD}"\'/a b.xml\''],
    ['windows', 'run "--out=%OPENTF_WORKSPACE%/a b.xml"'],
  ])('is known to the shell of %s alone', async (os, line) => {
    expect(await scriptOf(['run', `--out=${file}`], {}, os)).toBe(line);
    expect(
      await scriptOf(['run', "${{ format('--out={0}', inputs.test) }}"], { test: file }, os),
    ).not.toBe(line);
  });

  test('stands in scripts, variables and the paths of reports', async () => {
    const [step] = await call({
      steps: [
        {
          run: 'run > ${{ runner.workspace }}/x',
          variables: { OUT: '${{ runner.workspace }}/a.xml' },
        },
      ],
      attach: [{ path: file }],
    });
    expect(step?.variables).toEqual({ OUT: '$OPENTF_WORKSPACE/a.xml' });
    expect(step?.run).toContain('rm -f -- "${OPENTF_WORKSPACE:-$PWD}"\'/a b.xml\'\n');
    expect(step?.run).toContain('echo ::attach::"$tutti_report"; fi');
    expect(step?.run).toContain("echo '::warning::There is no report a b.xml to attach.'");
    expect(step?.run).toContain('\nrun > "${OPENTF_WORKSPACE:-$PWD}"/x');
  });

  test('is not mixed with what a shell expands in variables', async () => {
    const variables = { OUT: '${{ runner.workspace }}/${{ inputs.test }}' };
    const calling = call({ steps: [{ run: 'run', variables }] }, { test: '$HOME' });
    await expect(calling).rejects.toThrow('"OUT" has more than the workspace and a plain path');
  });
});

describe('the words of a command', () => {
  test.each([
    ['plain.py', "run plain.py '${'"],
    ["a b; echo 'c'", "run 'a b; echo '\\''c'\\''' '${'"],
    [['a', 'b c'], "run a 'b c' '${'"],
    ['', "run '${'"],
    [null, "run '${'"],
    [[], "run '${'"],
    [3, "run 3 '${'"],
    [true, "run true '${'"],
    [false, "run '${'"],
    ['${{ secrets.a }}', "run '$''{{ secrets.a }}' '${'"],
  ])('are those of %j on Linux', async (value, line) => {
    expect(await scriptOf(['run', '${{ inputs.test }}', '${'], { test: value })).toBe(line);
  });

  test('are quoted together with the text around them', async () => {
    const given = { test: 'a b' };
    expect(await scriptOf(['run', '--file=${{ inputs.test }}/x', 4], given)).toBe(
      "run '--file=a b/x' 4",
    );
  });

  test('are none of lists within a text, nor of maps', async () => {
    await expect(scriptOf(['a', 'x${{ inputs.test }}'], { test: [1] })).rejects.toThrow(
      '"inputs.test" is a list, not a text.',
    );
    await expect(scriptOf(['a', '${{ inputs.test }}'], { test: { a: 1 } })).rejects.toThrow(
      '"inputs.test" is a map, not a text.',
    );
  });

  test.each([
    ['node', 'a "b" %c%', 'node ^"a \\^"b\\^" %%c%%^"'],
    ['mvn', 'a b&c', 'call mvn "a b&c"'],
    ['tools/run.cmd', 'x=y', 'call tools/run.cmd "x=y"'],
  ])('on Windows fit the program %s', async (program, test, line) => {
    expect(await scriptOf([program, '${{ inputs.test }}'], { test }, 'windows')).toBe(line);
  });

  test('that a script of Windows cannot get are refused', async () => {
    for (const value of ['%PATH%', 'a"b', 'a^b']) {
      await expect(
        scriptOf(['mvn', '${{ inputs.test }}'], { test: value }, 'windows'),
      ).rejects.toThrow('cannot be part of a script');
    }
  });
});

test('expressions of scripts become quoted words', async () => {
  const steps = [{ run: 'cd ${{ inputs.test }} && run ${{ inputs.more }}' }];
  const [step] = await call({ steps }, { test: 'a b', more: ['c', '$d'] });
  expect(step).toEqual({ run: "cd 'a b' && run c '$d'", shell: 'bash' });
});

describe('steps', () => {
  const steps = { unix: [{ run: 'u' }], macos: [{ run: 'm' }], windows: [{ run: 'w' }] };

  test.each([
    ['linux', 'u'],
    ['macos', 'm'],
    ['windows', 'w'],
  ] as const)('for %s are those of the system', async (os, run) => {
    expect((await call({ steps }, {}, os))[0]?.run).toBe(run);
  });

  test('that are not there for a system are refused', async () => {
    await expect(call({ steps: { unix: [{ run: 'u' }] } }, {}, 'windows')).rejects.toThrow(
      'The function "a/b@v1" has no steps for windows.',
    );
  });

  test('have values one after the other', async () => {
    const values = { a: "${{ after(inputs.test, '#') }}", b: 'x-${{ values.a }}' };
    const [step] = await call(
      { values, steps: [{ command: ['run', '${{ values.b }}'] }] },
      { test: 'f#c' },
    );
    expect(step?.run).toBe('run x-c');
  });

  test('are there if their condition of the call holds', async () => {
    const conditional = [
      { run: 'a', if: 'inputs.test' },
      { run: 'b', if: "runner.os == 'windows'" },
    ];
    expect(await call({ steps: conditional }, { test: 'x' })).toEqual([
      { run: 'a', shell: 'bash' },
    ]);
  });

  test('leave to the run what only that knows', async () => {
    const [step] = await call(
      {
        steps: [
          {
            uses: 'x/y@v1',
            name: 'Test ${{ inputs.test }}',
            if: "failure() && inputs.test == 'it''s'",
            with: { of: '${{ inputs.more }}', out: '${{ steps.s.outputs.o || inputs.test }}' },
            variables: {
              PLAIN: '$HOME',
              GIVEN: '${{ inputs.test }}',
              LATER: '${{ steps.s.outputs.o }}',
            },
          },
        ],
      },
      { test: "it's ${{ secrets.a }}", more: [{ a: '${{ secrets.b }}' }] },
    );
    expect(step).toEqual({
      uses: 'x/y@v1',
      name: "Test it's ${{ '${{' }} secrets.a }}",
      if: "${{ failure() && 'it''s ${{ secrets.a }}' == 'it''s' }}",
      with: {
        of: [{ a: "${{ '${{' }} secrets.b }}" }],
        out: "${{ steps.s.outputs.o || 'it''s ${{ secrets.a }}' }}",
      },
      variables: {
        PLAIN: '$HOME',
        GIVEN: { value: "it's ${{ '${{' }} secrets.a }}", verbatim: true },
        LATER: { value: '${{ steps.s.outputs.o }}', verbatim: true },
      },
    });
  });

  test.each(['$(x)', '`x`', 'a"b', 'a\nb', '%A%', 'a&b'])(
    'have no working directory %j out of an input',
    async (test) => {
      const inDirectory = [{ run: 'x', 'working-directory': '${{ inputs.test }}' }];
      await expect(call({ steps: inDirectory }, { test })).rejects.toThrow(
        'cannot be the directory of a step',
      );
    },
  );
});

describe('reports', () => {
  test('of several steps are attached by a step of its own, whatever became of the others', async () => {
    const steps = await call({
      steps: [{ run: 'a' }, { run: 'b' }],
      attach: [{ path: 'r.xml' }],
    });
    expect(steps.map(({ run, if: condition }) => [run?.split('\n')[0], condition])).toEqual([
      ['rm -f -- r.xml', undefined],
      ['a', undefined],
      ['b', undefined],
      ['tutti_found=', 'always()'],
    ]);
  });

  const MISSING = [
    '::warning::There is no report r/*.xml to attach.',
    '::missing-report type=application/vnd.opentestfactory.shop-surefire+xml::r/*.xml',
  ];

  test.each<[what: string, attachment: object, lines: readonly string[]]>([
    ['a report', { type: 'application/vnd.opentestfactory.shop-surefire+xml' }, MISSING],
    ['a file of another type', { type: 'text/html' }, MISSING.slice(0, 1)],
    ['a file without a type', {}, MISSING.slice(0, 1)],
    [
      'what may be missing',
      { type: 'application/vnd.opentestfactory.shop-surefire+xml', optional: true },
      [],
    ],
  ])('%s: what is told if there is none', async (_what, attachment, lines) => {
    const attach = [{ path: 'r/*.xml', ...attachment }];
    const [unix] = await call({ attach });
    const shownBy = unix?.run
      ?.split('\n')
      .filter((line) => line.startsWith('[ -n "$tutti_found" ]'));
    expect(shownBy).toEqual(lines.map((line) => `[ -n "$tutti_found" ] || echo '${line}'`));
    const [windows] = await call({ attach }, {}, 'windows');
    const print = windows?.run?.split('\n').filter((line) => line.startsWith('@if not exist'));
    expect(print).toEqual(lines.map((line) => `@if not exist "r\\*.xml" echo ${line}`));
  });

  test.each(['../x', '/etc', 'a/../../b'])('are none below %s', async (test) => {
    const attach = [{ path: '${{ inputs.test }}/r.xml' }];
    await expect(call({ attach }, { test })).rejects.toThrow('leads out of the working directory');
  });

  test('of a script with several lines are attached on Windows, too', async () => {
    const [step] = await call(
      { steps: [{ run: 'a\nb' }], attach: [{ path: 'r/*.xml', optional: true }] },
      {},
      'windows',
    );
    expect(step?.run?.split('\n')).toEqual([
      '@if exist "r\\*.xml" del /q "r\\*.xml"',
      '@call :tutti_script',
      '@set "TUTTI_STATUS=%ERRORLEVEL%"',
      '@echo.',
      '@for %%F in ("r\\*.xml") do @if exist "%%~fF" echo ::attach::%%~fF',
      '@exit /b %TUTTI_STATUS%',
      ':tutti_script',
      'a',
      'b',
      '@exit /b %ERRORLEVEL%',
    ]);
  });

  test('of any folders below one are found by going through these on Windows, too', async () => {
    const [step] = await call(
      { steps: [{ run: 'a' }], attach: [{ path: '${{ inputs.test }}/**/out/*.xml' }] },
      { test: '100% a' },
      'windows',
    );
    expect(step?.run?.split('\n')).toEqual([
      '@for /r "100%% a" %%D in (.) do @if exist "%%D\\out\\*.xml" del /q "%%D\\out\\*.xml"',
      '@a',
      '@set "TUTTI_STATUS=%ERRORLEVEL%"',
      '@echo.',
      '@for /r "100%% a" %%D in (.) do @for %%F in ("%%D\\out\\*.xml") do @if exist "%%~fF" echo ::attach::%%~fF',
      '@set "TUTTI_FOUND="',
      '@for /r "100%% a" %%D in (.) do @if exist "%%D\\out\\*.xml" set "TUTTI_FOUND=1"',
      '@if not defined TUTTI_FOUND echo ::warning::There is no report 100%% a/**/out/*.xml to attach.',
      '@exit /b %TUTTI_STATUS%',
    ]);
  });

  test('that are a folder become one archive on Windows, too', async () => {
    const attach = [{ path: '${{ runner.workspace }}/${{ inputs.test }}/' }];
    const called = call({ steps: [{ run: 'a' }], attach }, { test: "it's 100%" }, 'windows');
    const lines = (await called)[0]?.run?.split('\n') ?? [];
    const path = "%OPENTF_WORKSPACE%\\it's 100%%";
    expect(lines.filter((line) => !line.includes('powershell'))).toEqual([
      `@(if exist "${path}" rd /s /q "${path}") & if exist "${path}.tar.gz" del /q "${path}.tar.gz"`,
      '@a',
      '@set "TUTTI_STATUS=%ERRORLEVEL%"',
      '@echo.',
      `@set "TUTTI_FOLDER=${path}"`,
      `@set "TUTTI_SHOWN=it's 100%%/"`,
      `@for %%F in ("${path}.tar.gz") do @if exist "%%~fF" echo ::attach type=application/vnd.tutti.report-folder+gzip::%%~fF`,
      `@if not exist "${path}.tar.gz" echo ::warning::There is no report it's 100%%/ to attach.`,
      '@exit /b %TUTTI_STATUS%',
    ]);
    const packing = lines.find((line) => line.includes('powershell')) ?? '';
    expect(packing).toContain(`@if exist "${path}" powershell -NoProfile`);
    // The script is one line in double quotes, within what cmd reads.
    expect(packing.split('"')).toHaveLength(5);
    expect(packing.length).toBeLessThan(8_191);
  });

  test('of a folder that is a pattern, too, are found by one more loop on Windows', async () => {
    const attach = [{ path: '**/out/*-x/a*.xml', optional: true }];
    const [step] = await call({ steps: [{ run: 'a' }], attach }, {}, 'windows');
    const folders = '@for /r "." %%D in (.) do @for /d %%E in ("%%D\\out\\*-x") do @';
    expect(step?.run?.split('\n')).toEqual([
      `${folders}if exist "%%E\\a*.xml" del /q "%%E\\a*.xml"`,
      '@a',
      '@set "TUTTI_STATUS=%ERRORLEVEL%"',
      '@echo.',
      `${folders}for %%F in ("%%E\\a*.xml") do @if exist "%%~fF" echo ::attach::%%~fF`,
      '@exit /b %TUTTI_STATUS%',
    ]);
  });
});
