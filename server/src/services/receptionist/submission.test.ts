import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  created,
  FILES_YAML,
  file,
  MANIFEST,
  openReception,
  type Part,
  refused,
  workflow,
  YAML,
} from './testing.ts';

describe('variables', () => {
  const manifest =
    'metadata: {name: demo}\nvariables: {A: "0", B: keep}\njobs: {a: {steps: [{run: x}]}}';

  test.each([
    ['a field', undefined],
    ['a file', 'variables'],
    // HTTP 4.6: Variables: lines, merged, the last definition wins.
  ])('as %s: merged into those of the workflow, the last definition wins', async (_, fileName) => {
    const { multipart, published } = await openReception();
    const content = 'A=1\r\nC=x=y\n\nA=2\n';
    const part = { name: 'variables', content, ...(fileName === undefined ? {} : { fileName }) };
    expect(await multipart([workflow(manifest), part])).toEqual(created());
    expect(published[0]?.variables).toEqual({ A: '2', B: 'keep', C: 'x=y' });
  });

  test.each([
    ['A=1\nnonsense', 'Not valid variables: line 2 must have the form NAME=value.'],
    ['=1', 'Not valid variables: line 1 must have the form NAME=value.'],
    [
      'A-B=1',
      'Not valid variables: "A-B" is no name of a variable (letters, digits and underscores).',
    ],
    // Language 1.11: Answered as Invalid with the sentence, and kept as an annotation.
  ])('%j is refused', async (content, message) => {
    const { multipart } = await openReception();
    const parts = [workflow(manifest), { name: 'variables', content }];
    expect(await multipart(parts)).toEqual(refused(422, 'Invalid', message));
  });
});

describe('inputs', () => {
  const declared = `${YAML}inputs:
  who: {description: d, required: true}
  how-many: {description: d, type: number, default: 3}
  really: {description: d, type: boolean}
  size: {description: d, type: choice, options: [small, large]}
`;
  const given = (content: string) => [workflow(declared), { name: 'inputs', content }];

  // Language 1.11: Answered as Invalid with the sentence, and kept as an annotation.
  // HTTP 4.6: Inputs: kept as annotations.
  test('are converted, completed by defaults and kept as an annotation', async () => {
    const { multipart, published } = await openReception();
    expect(await multipart(given('who=a\nwho=me\nreally=TRUE\nsize=small'))).toEqual(created());
    expect(published[0]?.metadata.annotations).toEqual({
      'tutti.inputs': { who: 'me', 'how-many': 3, really: true, size: 'small' },
    });
  });

  // Language 1.11: Names with `_` stand for those with `-`; both at once are refused.
  test('may be spelled with underscores', async () => {
    const { multipart, published } = await openReception();
    await multipart(given('who=me\nhow_many=4\nsize=large'));
    expect(published[0]?.metadata.annotations).toMatchObject({ 'tutti.inputs': { 'how-many': 4 } });
  });

  test.each([
    ['', 'Mandatory input "who" not provided.'],
    ['who=me\nhow-many=x', 'Input "how-many": Invalid value "x".  Expected a number.'],
    ['who=me\nreally=x', 'Input "really": Invalid value "x".  Allowed values: "true", "false".'],
    ['who=me\nsize=x', 'Input "size": Invalid value "x".  Allowed values: "small", "large".'],
    [
      'who=me\nfoo=1',
      'Unexpected inputs "foo" found.  Allowed inputs: "who", "how-many", "really", "size".',
    ],
    ['who=me\nhow_many=1\nhow-many=2', 'Both "how_many" and "how-many" specified in inputs.'],
    ['nonsense', 'Not valid inputs: line 1 must have the form NAME=value.'],
  ])('%j is refused', async (content, message) => {
    const { multipart } = await openReception();
    expect(await multipart(given(content))).toEqual(refused(422, 'Invalid', message));
  });

  // Language 1.11: A required input must be given.
  test('that are required must be given also when none are sent', async () => {
    const { yaml } = await openReception();
    const message = 'Mandatory input "who" not provided.';
    expect(await yaml(declared)).toEqual(refused(422, 'Invalid', message));
  });

  test('with mistakes are all listed, each once', async () => {
    const { multipart } = await openReception();
    const { message, details } = await multipart(given('how-many=x\nsize=x'));
    expect(message).toBe('Mandatory input "who" not provided.');
    expect(details.error.split('\n')).toEqual([
      expect.stringMatching(/^Input "how-many": Invalid value "x"\./),
      expect.stringMatching(/^Input "size": Invalid value "x"\./),
    ]);
  });
});

describe('resource files', () => {
  test('are stored, in any order of parts, and named in an annotation', async () => {
    const { multipart, published, folder } = await openReception();
    const content = Buffer.from([0, 255, 13, 10, 45, 45, 88]);
    const parts = [
      file('data.bin', content),
      file('other'),
      workflow(FILES_YAML),
      file('c'),
      file('b', ''),
    ];
    const answer = await multipart(parts);
    expect(answer).toEqual(created());
    expect(published[0]?.metadata.annotations).toEqual({
      'tutti.files': { 'data.bin': 'in_0', c: 'in_2', b: 'in_3' },
    });
    const stored = (name: string) => readFileSync(join(folder, answer.details.workflow_id, name));
    expect([stored('in_0'), stored('in_2'), stored('in_3')]).toEqual([
      content,
      Buffer.from('c'),
      Buffer.alloc(0),
    ]);
  });

  describe('4.6: come under their names, however clients write these', () => {
    const backslash = '\\';
    test.each<[string, readonly string[], readonly string[]]>([
      ['a quote, in percent encoding', ['a"b'], ['a%22b']],
      ['a quote, escaped', ['a"b'], [`a${backslash}"b`]],
      ['ends of lines, in percent encoding', ['a\nb\rc\r\nd'], ['a%0Ab%0Dc%0D%0Ad']],
      ['ends of lines, as browsers write them', ['a\nb\rc'], ['a%0D%0Ab%0D%0Ac']],
      ['a backslash', [String.raw`a\b`], [String.raw`a\b`]],
      ['a backslash, escaped', [String.raw`a\b`], [String.raw`a\\b`]],
      ['two backslashes', [String.raw`a\\b`], [String.raw`a\\b`]],
      ['two backslashes, escaped', [String.raw`a\\b`], [String.raw`a\\\\b`]],
      ['a backslash and a quote', [String.raw`a\"b`], [String.raw`a\%22b`]],
      ['a backslash and a quote, escaped', [String.raw`a\"b`], [String.raw`a\\\"b`]],
      ['a backslash at the end', [`a${backslash}`], [`a${backslash}`]],
      ['a backslash at the end, escaped', [`a${backslash}`], [String.raw`a\\`]],
      [
        'three backslashes at the end',
        [String.raw`a\\` + backslash],
        [String.raw`a\\` + backslash],
      ],
      ['what looks like an encoding', ['a%22b', 'c%0Ad'], ['a%22b', 'c%0Ad']],
      ['that beside a quote', ['a"b', 'a%22b'], [`a${backslash}"b`, 'a%22b']],
      // HTTP 4.6: Parts of files are named like their entries, however clients write these names.
    ])('%s', async (_, names, written) => {
      const { multipart, published } = await openReception();
      const manifest = workflow(JSON.stringify({ ...MANIFEST, resources: { files: names } }));
      const files = written.map((name) => ({ name, content: 'x', fileName: 'x' }));
      // With a type that says nothing of a file, as curl gives to texts.
      const texts = files.map((part) => ({ ...part, type: 'text/plain' }));
      const json = files.map((part) => ({ ...part, type: 'application/json' }));
      for (const parts of [
        [manifest, ...files],
        [...texts, manifest],
        [manifest, ...json],
      ]) {
        expect(await multipart(parts)).toEqual(created());
      }
      const blobs = Object.fromEntries(names.map((name, index) => [name, `in_${index}`]));
      const run = { metadata: { annotations: { 'tutti.files': blobs } } };
      expect(published).toMatchObject([run, run, run]);
    });

    test.each<[string, readonly string[], readonly string[], string]>([
      [
        'a quote and its encoding',
        ['a"b', 'a%22b'],
        ['a%22b'],
        'Not all expected files were attached: a"b.',
      ],
      [
        'two ends of lines',
        ['a\nb', 'a\r\nb'],
        ['a%0D%0Ab'],
        'Not all expected files were attached: a\nb.',
      ],
      [
        'one name given twice',
        ['a\nb', 'a\r\nb'],
        ['a%0D%0Ab', 'a%0D%0Ab'],
        'The part "a%0D%0Ab" is there more than once.',
      ],
      // HTTP 4.6: Parts of files are named like their entries, however clients write these names.
    ])('%s: no part is the file of two', async (_, names, written, message) => {
      const { multipart } = await openReception();
      const manifest = workflow(JSON.stringify({ ...MANIFEST, resources: { files: names } }));
      expect(await multipart([manifest, ...written.map((name) => file(name))])).toEqual(
        refused(422, 'Invalid', message),
      );
    });
  });

  test.each(['constructor', 'toString', '__proto__'])(
    'a part named %s, which the reader of forms cannot take, is named in the refusal',
    async (name) => {
      const { multipart, blobScopes } = await openReception();
      const before = blobScopes();
      const message = `The form has a part named "${name}", a name that no part may have. Leave it out, or name it otherwise.`;
      for (const part of [file(name), { name, content: 'x' }]) {
        const parts = [workflow(FILES_YAML), file('b'), part];
        expect(await multipart(parts)).toEqual(refused(400, 'BadRequest', message));
      }
      expect(blobScopes()).toEqual(before);
    },
  );

  test('need a multipart request', async () => {
    const { yaml } = await openReception();
    expect(await yaml(FILES_YAML)).toEqual(
      refused(422, 'Invalid', 'Expecting files, must use multipart/form-data.'),
    );
  });

  describe('a refused request leaves none behind', () => {
    test.each<[string, readonly Part[], ReturnType<typeof refused>]>([
      [
        'missing files, named in order',
        [workflow(FILES_YAML), file('b')],
        refused(422, 'Invalid', 'Not all expected files were attached: c, data.bin.'),
      ],
      [
        'a field for a file',
        [workflow(FILES_YAML), file('b'), file('c'), { name: 'data.bin', content: 'x' }],
        refused(422, 'Invalid', 'Not all expected files were attached: data.bin.'),
      ],
      [
        'a field of a type for a file',
        [
          workflow(FILES_YAML),
          file('b'),
          file('c'),
          { name: 'data.bin', content: '{}', type: 'application/json' },
        ],
        refused(422, 'Invalid', 'Not all expected files were attached: data.bin.'),
      ],
      [
        'a wrong manifest after its files',
        [file('b'), workflow('metadata: {name: demo}')],
        refused(422, 'Invalid', 'Not a valid Workflow manifest: "jobs" is missing (line 1).', {
          error: '"jobs" is missing (line 1)',
        }),
      ],
      ['no manifest', [file('b')], refused(422, 'Invalid', 'The part "workflow" is missing.')],
      [
        // Bound: A file.
        'a file that is too large',
        [workflow(FILES_YAML), file('b', Buffer.alloc(50_001)), file('c')],
        refused(413, 'PayloadTooLarge', expect.any(String)),
      ],
      [
        'wrong inputs',
        [
          workflow(FILES_YAML),
          file('data.bin'),
          file('b'),
          file('c'),
          { name: 'inputs', content: 'x=1' },
        ],
        refused(422, 'Invalid', 'Unexpected inputs "x" found.  Allowed inputs: none.'),
      ],
    ])('%s', async (_, parts, expected) => {
      const { multipart, published, blobScopes } = await openReception();
      const before = blobScopes();
      const answer = await multipart(parts);
      expect(answer).toEqual(expected);
      expect(blobScopes()).toEqual(before);
      expect(published).toEqual([]);
      // A dry run reports the same mistakes (specification 4.6).
      expect(await multipart(parts, '?dryRun')).toEqual(expected);
    });

    // HTTP 4.6: 422 with the cause; 409 when the workflow cannot be published.
    test('a refused publication', async () => {
      const { multipart, blobScopes } = await openReception({
        outcome: {
          outcome: 'refused',
          why: 'the server stops.',
        },
      });
      const before = blobScopes();
      const parts = [workflow(FILES_YAML), file('data.bin'), file('b'), file('c')];
      expect(await multipart(parts)).toEqual(
        refused(409, 'Conflict', 'Workflow demo could not be published: the server stops.'),
      );
      expect(blobScopes()).toEqual(before);
    });

    test('a body that ends too early', async () => {
      const { multipart, blobScopes } = await openReception();
      const before = blobScopes();
      const answer = await multipart(
        [workflow(FILES_YAML), file('b')],
        '',
        '--boundary\r\nContent-Dis',
      );
      expect(answer).toEqual(
        refused(
          400,
          'BadRequest',
          expect.stringMatching(/^Not a valid multipart\/form-data body: /),
        ),
      );
      expect(blobScopes()).toEqual(before);
    });
  });

  test.each(['workflow', 'inputs'])(
    'a part "%s" that breaks off while a file before it is kept ends the request',
    async (name) => {
      const { multipart, blobScopes } = await openReception();
      const end = `--boundary\r\nContent-Disposition: form-data; name="${name}"; filename="x"\r\n\r\nx`;
      for (const query of ['', '?dryRun']) {
        expect(await multipart([file('b')], query, end)).toMatchObject({ code: 400 });
      }
      expect(blobScopes()).toEqual([]);
    },
  );

  // Bound: Parts of a form.
  test('a request of more parts than any run needs is refused', async () => {
    const { multipart, published } = await openReception();
    const fields = Array.from({ length: 257 }, (_, index) => ({ name: `f${index}`, content: '' }));
    expect(await multipart([workflow(YAML), ...fields])).toEqual(
      refused(413, 'PayloadTooLarge', 'The request has too many parts.'),
    );
    expect(published).toEqual([]);
  });

  test('a multipart request without a boundary is malformed', async () => {
    const { post } = await openReception();
    const headers = { 'content-type': 'multipart/form-data' };
    expect(await post({ headers, payload: 'x' })).toMatchObject({
      code: 400,
      reason: 'BadRequest',
    });
  });
});

// Bound: All fields of a form.
test('unknown fields count, since all are held in memory', async () => {
  const { multipart } = await openReception();
  const unasked = { name: 'unasked', content: 'x'.repeat(99_000) };
  const parts = (count: number) => [workflow(YAML), ...Array(count).fill(unasked)];
  expect(await multipart(parts(20))).toEqual(created());
  expect(await multipart(parts(24))).toEqual(
    refused(
      413,
      'PayloadTooLarge',
      'The fields of a request may have 2197152 bytes at most in all.',
    ),
  );
});
