/* biome-ignore-all lint/suspicious/noTemplateCurlyInString: scripts of shells. */
/** `actions/create-archive`: packs files of an environment with the programs that it has (wire facts 10.6). */
import { type ChannelOs, OrchestratorError } from '@tutti/manifests';
import { defineProvider, makeDirectoryOf, quoteSh, scriptStep } from '@tutti/sdk';
import { type FilePatterns, findUnix, findWindows, readPatterns } from './found-files.ts';

const FORMATS = ['tar', 'tar.gz', 'zip'] as const;
type Format = (typeof FORMATS)[number];

export const createArchiveProvider = defineProvider({
  name: 'create-archive',
  functions: [
    {
      prefix: 'actions',
      category: 'create-archive',
      version: 'v1',
      description: 'Packs files into an archive.',
      inputs: {
        path: { description: 'The path of the archive.', type: 'string', required: true },
        patterns: { description: 'What to pack: paths, folders and patterns.' },
        files: { description: 'Another name of `patterns`.' },
        format: {
          description: 'The format of the archive. Default: what its name ends with, else tar.gz.',
          type: 'choice',
          options: [...FORMATS],
        },
      },
      steps({ path, patterns, files, format }, { os }) {
        const wanted = isNothing(patterns) ? files : patterns;
        if (isNothing(wanted)) throw invalid('Mandatory input "patterns" not provided.');
        const archive = { path: pathOf(os, path), format: formatOf(path, format) };
        const found = readPatterns(os, 'patterns', wanted, EVERYTHING);
        const lines = os === 'windows' ? packWindows(archive, found) : packUnix(archive, found);
        return [scriptStep(os, [...makeDirectoryOf(os, path), ...lines])];
      },
    },
  ],
});

/** An archive of a folder has all of its files. */
const EVERYTHING = { foldersCount: true, hiddenCount: true };

const isNothing = (value: unknown): boolean =>
  value === '' || (Array.isArray(value) && value.length === 0);

interface Archive {
  readonly path: string;
  readonly format: Format;
}

function pathOf(os: ChannelOs, path: string): string {
  const forbidden = os === 'windows' ? /[\0\r\n"<>|*?]/ : /[\0\r\n]/;
  if (path === '' || forbidden.test(path)) {
    throw invalid(`Input "path": ${JSON.stringify(path)} is no path.`);
  }
  return path.startsWith('-') ? `./${path}` : path;
}

function formatOf(path: string, format: string): Format {
  const given = FORMATS.find((each) => each === format);
  if (given !== undefined) return given;
  if (/\.zip$/i.test(path)) return 'zip';
  return /\.tar$/i.test(path) ? 'tar' : 'tar.gz';
}

const NOTHING_FOUND = 'There is no file to pack.';

function packUnix({ path, format }: Archive, found: FilePatterns): readonly string[] {
  const archive = quoteSh(path);
  return [
    // An earlier one must not become a part of itself.
    `rm -f -- ${archive}`,
    ...findUnix(found),
    `if [ "\${#tutti_files[@]}" -eq 0 ]; then echo '::error::${NOTHING_FOUND}'; exit 1; fi`,
    'tutti_names=()',
    'for tutti_file in "${tutti_files[@]}"; do',
    '  tutti_name=${tutti_file#./}',
    '  case $tutti_name in -*) tutti_name=$tutti_file ;; esac',
    '  tutti_names+=("$tutti_name")',
    'done',
    ...(format === 'zip' ? zipUnix(archive) : [tarUnix(archive, format)]),
  ];
}

/** Passes names in a list, as a command line takes only so many. */
function tarUnix(archive: string, format: Format): string {
  const options = format === 'tar' ? '-cf' : '-czf';
  return `printf '%s\\0' "\${tutti_names[@]}" | tar ${options} ${archive} --null -T -`;
}

/** Tries the programs in turn: many systems have one of them only. */
function zipUnix(archive: string): readonly string[] {
  const python =
    'import sys,zipfile;a=zipfile.ZipFile(sys.argv[1],"w",zipfile.ZIP_DEFLATED);' +
    '[a.write(f) for f in sys.stdin.buffer.read().decode(sys.getfilesystemencoding(),"surrogateescape").split("\\0") if f];a.close()';
  return [
    'if command -v zip > /dev/null; then',
    `  printf '%s\\n' "\${tutti_names[@]}" | zip -q - -@ > ${archive}`,
    'elif command -v bsdtar > /dev/null; then',
    `  printf '%s\\0' "\${tutti_names[@]}" | bsdtar --format zip -cf ${archive} --null -T -`,
    'elif command -v python3 > /dev/null; then',
    `  printf '%s\\0' "\${tutti_names[@]}" | python3 -c ${quoteSh(python)} ${archive}`,
    'else',
    "  echo '::error::There is neither zip nor bsdtar nor python3 here, so nothing can be zipped.'",
    '  exit 1',
    'fi',
  ];
}

/** The `tar` of Windows knows all of the formats. It reads names in the code page of the system. */
function packWindows({ path, format }: Archive, found: FilePatterns): readonly string[] {
  const options = { tar: '-cf', 'tar.gz': '-czf', zip: '--format=zip -cf' }[format];
  const then = [
    `if($files.Count -eq 0){'::error::${NOTHING_FOUND}'; exit 1}`,
    "$list=$env:TUTTI_ARCHIVE+'.list'",
    "$names=[string[]]@($files | ForEach-Object {$_.Path -replace '^\\./(?!-)',''})",
    '[IO.File]::WriteAllLines((Join-Path (Get-Location).ProviderPath $list),$names,[Text.Encoding]::Default)',
    `tar ${options} $env:TUTTI_ARCHIVE -T $list`,
    '$status=$LASTEXITCODE; Remove-Item -LiteralPath $list; exit $status',
  ].join('; ');
  // An earlier one must not become a part of itself.
  const remove =
    'if(Test-Path -LiteralPath $env:TUTTI_ARCHIVE){Remove-Item -LiteralPath $env:TUTTI_ARCHIVE -Force}';
  const [first = '', ...lines] = findWindows(found, then, { TUTTI_ARCHIVE: path });
  return [first, ...lines.map((line) => line.replace('$files=@(', () => `${remove}; $files=@(`))];
}

const invalid = (message: string): OrchestratorError => new OrchestratorError('Invalid', message);
