/* biome-ignore-all lint/suspicious/noTemplateCurlyInString: scripts of shells, and expressions. */
/**
 * `actions/upload-artifact` and `download-artifact`: files for other jobs of the run (wire facts part 5 and 10.6). Each file of a folder or
 * of a pattern is an artifact named `NAME%2Fpath`. A download takes these for one artifact in several files.
 */
import { type ChannelOs, dictionary, OrchestratorError } from '@tutti/manifests';
import { defineProvider, escapeEcho, quoteSh, scriptStep } from '@tutti/sdk';
import { eachUnix, type FilePatterns, findUnix, findWindows, readPatterns } from './found-files.ts';
import { parameterOf } from './transfer-parameter.ts';

export const artifactActionsProvider = defineProvider({
  name: 'artifact-actions',
  functions: [
    {
      prefix: 'actions',
      category: 'upload-artifact',
      version: 'v1',
      description: 'Gives files to other jobs of the run.',
      inputs: {
        name: {
          description: 'The name of the artifact. Default: those of the files.',
          type: 'string',
        },
        path: { description: 'A file, a folder, or patterns.', required: true },
        type: { description: 'The type of the files.', type: 'string' },
        'if-no-files-found': {
          description: 'What happens if there is no such file.',
          type: 'choice',
          options: ['warn', 'error', 'ignore'],
          default: 'warn',
        },
      },
      steps(inputs, { os }) {
        const found = readPatterns(os, 'path', inputs.path, {
          foldersCount: true,
          hiddenCount: false,
        });
        const upload = {
          name: inputs.name === '' ? null : nameOf(inputs.name),
          type: inputs.type === '' ? null : parameterOf('type', inputs.type),
          ifNone: inputs['if-no-files-found'],
        };
        return [
          scriptStep(
            os,
            os === 'windows' ? uploadWindows(found, upload) : uploadUnix(found, upload),
          ),
        ];
      },
    },
    {
      prefix: 'actions',
      category: 'download-artifact',
      version: 'v1',
      description: 'Takes files that other jobs of the run gave.',
      inputs: {
        name: { description: 'The name of an artifact. Default: all of them.', type: 'string' },
        pattern: { description: 'A pattern of names, instead of a name.', type: 'string' },
        path: {
          description: 'The folder to write to. Default: the working directory.',
          type: 'string',
        },
      },
      steps: (inputs, { os }) => [scriptStep(os, [downloadLine(os, inputs)])],
    },
  ],
});

/** A name is no path, and one word for the workflow command. */
function nameOf(name: string): string {
  if (!/[\\/"<>|*?]/.test(name) && !/^\.\.?$/.test(name)) return parameterOf('name', name);
  throw new OrchestratorError(
    'Invalid',
    `Input "name": ${JSON.stringify(name)} cannot name an artifact, as it has one of \\ / " < > | * ?.`,
  );
}

interface Upload {
  readonly name: string | null;
  readonly type: string | null;
  readonly ifNone: string;
}

/** Beginnings of the upload command for a single file, and for one of several files. */
function headsOf({ name, type }: Upload): { readonly one: string; readonly several: string } {
  const head = (more: readonly string[]): string => {
    const parameters = [...(type === null ? [] : [`type=${type}`]), ...more];
    return `::upload${parameters.length === 0 ? '' : ` ${parameters.join(',')}`}`;
  };
  if (name === null) return { one: `${head([])}::`, several: `${head([])}::` };
  return {
    one: `${head([`name=${name}`])}::`,
    several: head([`name=${name.replaceAll('%', '%25')}%2F`]),
  };
}

const NONE = 'There is no file to upload.';
const ABSENCES: Readonly<Record<string, string>> = dictionary<string>({
  warn: '::warning::',
  error: '::error::',
});

function uploadUnix({ root, ...found }: FilePatterns, upload: Upload): readonly string[] {
  const { ifNone, name } = upload;
  const { one, several } = headsOf(upload);
  return [
    ...findUnix({ root, ...found }),
    `if [ "\${#tutti_files[@]}" -eq 0 ]; then echo ${quoteSh((ABSENCES[ifNone] ?? '') + NONE)}; ${ifNone === 'error' ? 'exit 1' : ':'}; fi`,
    `tutti_root=${quoteSh(root)}`,
    ...(name === null
      ? eachUnix(`echo ${quoteSh(one)}"$tutti_path"`)
      : [
          'tutti_upload() {',
          `  if [ "$1" = "$tutti_root" ]; then echo ${quoteSh(one)}"$2"; return; fi`,
          '  tutti_name=${1#"$tutti_root"/}; tutti_name=${tutti_name#./}',
          // Encodes the signs that mean something else in a workflow command.
          '  tutti_name=${tutti_name//%/%25}; tutti_name=${tutti_name//\\//%2F}',
          '  tutti_name=${tutti_name//,/%2C}; tutti_name=${tutti_name//:/%3A}',
          `  echo ${quoteSh(several)}"$tutti_name::$2"`,
          '}',
          ...eachUnix('tutti_upload "$tutti_file" "$tutti_path"'),
        ]),
  ];
}

function uploadWindows(found: FilePatterns, upload: Upload): readonly string[] {
  const { ifNone, name } = upload;
  const { one, several } = headsOf(upload);
  const named = [
    'if($_.Path -eq $env:TUTTI_ROOT){$env:TUTTI_ONE+$_.Full}else{',
    '$name=$_.Path;',
    "$root=$env:TUTTI_ROOT+'/';",
    'if($name.StartsWith($root)){$name=$name.Substring($root.Length)};',
    "$name=$name.Replace('%','%25').Replace('/','%2F').Replace(',','%2C').Replace(':','%3A');",
    "$env:TUTTI_SEVERAL+$name+'::'+$_.Full}",
  ].join(' ');
  const each = name === null ? '$env:TUTTI_ONE+$_.Full' : named;
  const none = `${ABSENCES[ifNone] ?? ''}${NONE}`;
  const then = `if($files.Count -eq 0){'${none}'${ifNone === 'error' ? '; exit 1' : ''}}; $files | ForEach-Object {${each}}`;
  const variables = { TUTTI_ROOT: found.root, TUTTI_ONE: one, TUTTI_SEVERAL: several };
  return findWindows(found, then, variables);
}

interface Download {
  readonly name: string;
  readonly pattern: string;
  readonly path: string;
}

/** Agents make the folders. */
function downloadLine(os: ChannelOs, { name, pattern, path }: Download): string {
  if (name !== '' && pattern !== '') {
    throw new OrchestratorError('Invalid', 'Inputs "name" and "pattern" exclude each other.');
  }
  if (/[\0\r\n]/.test(path)) {
    throw new OrchestratorError('Invalid', `Input "path": ${JSON.stringify(path)} is no path.`);
  }
  const chosen =
    name === '' ? `pattern=${parameterOf('pattern', pattern || '*')}` : `file=${nameOf(name)}`;
  const folder = path === '' ? '' : `${path.replace(/(?<![\\/])[\\/]+$/, '')}/`;
  const command = `::download ${chosen}::${folder}`;
  return os === 'windows' ? `@echo ${escapeEcho(command)}` : `echo ${quoteSh(command)}`;
}
