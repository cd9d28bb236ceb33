/* biome-ignore-all lint/suspicious/noTemplateCurlyInString: scripts of shells, and expressions. */
/** `actions/touch-file`, `delete-file`, `get-file`, `get-files` and `put-file`: single files, and all that a pattern finds (wire facts 10.6). */
import { type ChannelOs, OrchestratorError } from '@tutti/manifests';
import {
  attach,
  attachHead,
  defineProvider,
  escapeEcho,
  makeDirectoryOf,
  missingReportHead,
  quoteCmdPath,
  quoteSh,
  scriptStep,
} from '@tutti/sdk';
import { eachUnix, type FilePatterns, findUnix, findWindows, readPatterns } from './found-files.ts';
import { powerShell } from './powershell-line.ts';
import { parameterOf } from './transfer-parameter.ts';

const path = { description: 'The path of the file.', type: 'string', required: true } as const;
const type = { description: 'The type by which reports are known.', type: 'string' } as const;

export const fileActionsProvider = defineProvider({
  name: 'file-actions',
  functions: [
    {
      prefix: 'actions',
      category: 'touch-file',
      version: 'v1',
      description: 'Makes an empty file, or sets the time of one that is there.',
      inputs: { path },
      steps: (inputs, { os }) => [scriptStep(os, touchLines(os, inputs.path))],
    },
    {
      prefix: 'actions',
      category: 'delete-file',
      version: 'v1',
      description: 'Removes a file, or all that a pattern finds.',
      inputs: { path: { ...path, description: 'The path of the file, or a pattern.' } },
      steps: (inputs, { os }) => [scriptStep(os, deleteLines(os, inputs.path))],
    },
    {
      prefix: 'actions',
      category: 'get-file',
      version: 'v1',
      description: 'Attaches a file.',
      inputs: {
        path,
        type,
        name: {
          description: 'The name of the attachment. Default: that of the file.',
          type: 'string',
        },
      },
      steps: (inputs, { os }) => [scriptStep(os, [attach(os, inputs.path, said(inputs))])],
    },
    {
      prefix: 'actions',
      category: 'get-files',
      version: 'v1',
      description: 'Attaches all files that a pattern finds.',
      inputs: {
        pattern: { description: 'A pattern, or several of them.', required: true },
        type,
        'warn-if-not-found': {
          description: 'A warning for the log if there is no such file, or true for a usual one.',
        },
      },
      steps: (inputs, { os }) => [
        scriptStep(
          os,
          getLines(os, readPatterns(os, 'pattern', inputs.pattern, FILES_ALONE), {
            head: attachHead(said({ type: inputs.type })),
            absence: absenceOf(inputs),
            names: namesOf(inputs.pattern),
          }),
        ),
      ],
    },
    {
      prefix: 'actions',
      category: 'put-file',
      version: 'v1',
      description: 'Brings a file of the resources to the environment.',
      inputs: {
        file: { description: 'The file: `${{ resources.files.<name> }}`.', type: 'string' },
        data: { description: 'Another name of `file`.', type: 'string' },
        path: { ...path, description: 'Where to write it.' },
      },
      steps: (inputs, { os }) => [scriptStep(os, putLines(os, inputs))],
    },
  ],
});

const FILES_ALONE = { foldersCount: false, hiddenCount: false };

/** The inputs that the step gives. */
const said = (inputs: { readonly type: string; readonly name?: string }) => ({
  ...(inputs.type === '' ? {} : { type: inputs.type }),
  ...(inputs.name === undefined || inputs.name === '' ? {} : { name: inputs.name }),
});

function touchLines(os: ChannelOs, path: string): readonly string[] {
  refuseBreaks(path);
  if (os !== 'windows') return [...makeDirectoryOf(os, path), `touch -- ${quoteSh(path)}`];
  const file = quoteCmdPath(path);
  return [
    ...makeDirectoryOf(os, path),
    `@if not exist ${file} type nul > ${file} || exit /b`,
    ...powerShell('(Get-Item -LiteralPath $env:TUTTI_PATH -Force).LastWriteTime=Get-Date', {
      TUTTI_PATH: path,
    }),
  ];
}

function deleteLines(os: ChannelOs, path: string): readonly string[] {
  refuseBreaks(path);
  if (/[*?]/.test(path)) return deleteFound(os, path);
  if (os !== 'windows') return [`rm -f -- ${quoteSh(path)}`];
  const file = quoteCmdPath(path);
  const folder = quoteCmdPath(`${path.replace(/[\\/]+$/, '')}\\`);
  return [
    // Given a folder, `del` would delete all files in it.
    `@if exist ${folder} (echo ::error::${escapeEcho(path)} is a folder.& exit /b 1)`,
    `@if exist ${file} del /f /q ${file}`,
  ];
}

/** A value that is empty, or another one than was meant, must not make a pattern of other people's files. */
function deleteFound(os: ChannelOs, path: string): readonly string[] {
  if (/^(?:[\\/]|[a-z]:)/i.test(path) || path.split(/[\\/]/).includes('..')) {
    throw new OrchestratorError(
      'Invalid',
      `Input "path": the pattern "${path}" leads out of the working directory.`,
    );
  }
  const patterns = readPatterns(os, 'path', [path], FILES_ALONE);
  return os === 'windows'
    ? findWindows(patterns, '$files | ForEach-Object {Remove-Item -LiteralPath $_.Full -Force}')
    : [...findUnix(patterns), ...eachUnix('rm -f -- "$tutti_path"')];
}

interface Found {
  /** The workflow command, up to the path. */
  readonly head: string;
  /** Lines that are printed if there is no file. */
  readonly absence: readonly string[];
  /** The last parts of the patterns. */
  readonly names: readonly string[];
}

/** The patterns of files that are wanted, without exclusions. */
const patternsOf = (given: unknown): readonly string[] =>
  (Array.isArray(given) ? given.map(String) : String(given).split(/\r?\n/))
    .map((text) => text.trim())
    .filter((text) => !/^(?:!|$)/.test(text));

const namesOf = (pattern: unknown): readonly string[] =>
  patternsOf(pattern)
    .map((text) => text.replace(/^.*[\\/]/, ''))
    // Rehearsals ignore a name that cannot stand in a comment of every shell.
    .filter((name) => /^[\w.*? -]+$/.test(name));

/** Comments that rehearsals read, since they run nothing. */
const commentsOf = (os: ChannelOs, { head, names }: Found): readonly string[] =>
  names.map((name) => `${os === 'windows' ? '@rem' : '#'} ${head}${name}`);

function getLines(os: ChannelOs, patterns: FilePatterns, found: Found): readonly string[] {
  const { head, absence } = found;
  if (os !== 'windows') {
    return [
      ...commentsOf(os, found),
      ...findUnix(patterns),
      ...absence.map((line) => `[ "\${#tutti_files[@]}" -gt 0 ] || echo ${quoteSh(line)}`),
      ...eachUnix(`echo ${quoteSh(head)}"$tutti_path"`),
    ];
  }
  const lines = absence.map((line, index) => [`TUTTI_ABSENCE${index}`, line.replaceAll('"', "'")]);
  const printed = lines.map(([name]) => `$env:${name}`).join('; ');
  const then = `if($files.Count -eq 0){${printed}}; $files | ForEach-Object {$env:TUTTI_HEAD+$_.Full}`;
  const variables = { TUTTI_HEAD: head, ...Object.fromEntries(lines) };
  return [...commentsOf(os, found), ...findWindows(patterns, then, variables)];
}

interface GetInputs {
  readonly pattern: unknown;
  readonly type: string;
  readonly 'warn-if-not-found': unknown;
}

function absenceOf({ pattern, type, 'warn-if-not-found': warning }: GetInputs): readonly string[] {
  const patterns = patternsOf(pattern).join(', ');
  const usual = `There is no file ${patterns}.`;
  const isText = typeof warning === 'string' && !/^(?:true|false)?$/i.test(warning);
  const text = (isText ? warning : usual).replace(/\s+/g, ' ');
  const isWarning = isText || String(warning).toLowerCase() === 'true';
  const head = missingReportHead(type);
  return [isWarning ? `::warning::${text}` : text, ...(head === null ? [] : [head + patterns])];
}

interface PutInputs {
  readonly file: string;
  readonly data: string;
  readonly path: string;
}

function putLines(os: ChannelOs, { file, data, path }: PutInputs): readonly string[] {
  const name = file === '' ? data : file;
  if (name === '') throw new OrchestratorError('Invalid', 'Mandatory input "file" not provided.');
  refuseBreaks(path);
  const command = `::put file=${parameterOf('file', name)}::${path}`;
  return [
    ...makeDirectoryOf(os, path),
    os === 'windows' ? `@echo ${escapeEcho(command)}` : `echo ${quoteSh(command)}`,
  ];
}

function refuseBreaks(path: string): void {
  if (path !== '' && !/[\0\r\n]/.test(path)) return;
  throw new OrchestratorError('Invalid', `Input "path": ${JSON.stringify(path)} is no path.`);
}
