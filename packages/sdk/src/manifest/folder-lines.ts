/**
 * Lines of scripts that attach a whole folder as one archive. Its smallest files come first: what exceeds the limits are the largest ones,
 * and these are left out.
 */
import { type ChannelOs, REPORT_FOLDER_LIMITS, REPORT_FOLDER_LIST } from '@tutti/manifests';

export interface FolderLines {
  /** The folder as a word of the shell. */
  readonly folder: string;
  /** The workflow command up to the path of the archive, quoted for the shell. */
  readonly head: string;
  /** Prefix that makes the path of the folder absolute: the working directory, or nothing. */
  readonly directory: string;
  /** The path as the log shows it. */
  readonly shown: string;
  /** Lines to print if there is no such folder, or no file in it, quoted for the shell. */
  readonly absence: readonly string[];
}

export const removeFolder = (os: ChannelOs, folder: string): string =>
  os === 'windows'
    ? `@(if exist ${folder} rd /s /q ${folder}) & if exist ${archive(folder)} del /q ${archive(folder)}`
    : `rm -rf -- ${folder} ${folder}.tar.gz`;

/** In cmd a word is within quotes. */
const archive = (folder: string): string => folder.replace(/"$/, '.tar.gz"');

const { bytes, files } = REPORT_FOLDER_LIMITS;
const LEFT_OUT = `has more than ${bytes / 1024 / 1024} MiB or ${files} files: its largest files are left out.`;

/** Fields of a line: size and path. `wc` prints sums, too. */
const CHOICE = `{ size = $1; sub(/^ *[0-9]+ /, ""); if ($0 == "total") next; sum += size; count += 1; print (sum <= ${bytes} && count <= ${files} ? "+ " : "- ") $0 }`;

export function attachFolder(os: ChannelOs, lines: FolderLines): readonly string[] {
  return os === 'windows' ? attachWindows(lines) : attachUnix(lines);
}

function attachUnix({ folder, head, directory, shown, absence }: FolderLines): readonly string[] {
  return [
    `tutti_folder=${folder}`,
    `tutti_list=$tutti_folder/${REPORT_FOLDER_LIST}`,
    'if [ -d "$tutti_folder" ]; then',
    // Lists and tar separate names in different ways, so names with control characters are left alone.
    `  (cd "$tutti_folder" && find . -type f ! -path '*[[:cntrl:]]*' ! -name ${REPORT_FOLDER_LIST} -exec wc -c {} + 2>/dev/null) | LC_ALL=C sort -n | LC_ALL=C awk '${CHOICE}' > "$tutti_list"`,
    'fi',
    'if [ -s "$tutti_list" ]; then',
    `  { echo ./${REPORT_FOLDER_LIST}; sed -n 's/^+ //p' "$tutti_list"; } | tr '\\n' '\\0' | tar -czf "$tutti_folder.tar.gz" -C "$tutti_folder" --null -T -`,
    `  if grep -q '^- ' "$tutti_list"; then echo ${quoteWarning(`${shown} ${LEFT_OUT}`)}; fi`,
    `  echo ${head}"${directory}$tutti_folder.tar.gz"`,
    ...(absence.length === 0 ? [] : ['else', ...absence.map((line) => `  echo ${line}`)]),
    'fi',
  ];
}

const quoteWarning = (text: string): string => `'::warning::${text.replaceAll("'", "'\\''")}'`;

/** Within the double quotes of cmd, a script of PowerShell has only single ones. */
function attachWindows({ folder, head, shown, absence }: FolderLines): readonly string[] {
  const script = [
    "$ErrorActionPreference='Stop'",
    '$root=(Get-Item -LiteralPath $env:TUTTI_FOLDER).FullName',
    `$list=Join-Path $root '${REPORT_FOLDER_LIST}'`,
    '$sum=0; $count=0',
    `$lines=[string[]]@(Get-ChildItem -LiteralPath $root -Recurse -File -Force | Where-Object {$_.Name -ne '${REPORT_FOLDER_LIST}'} | Sort-Object Length | ForEach-Object {$sum+=$_.Length; $count+=1; $(if($sum -le ${bytes} -and $count -le ${files}){'+ ./'}else{'- ./'})+$_.FullName.Substring($root.Length+1).Replace('\\','/')})`,
    'if($lines.Count -eq 0){exit 1}',
    '[IO.File]::WriteAllLines($list,$lines)',
    `$names=[string[]](@('./${REPORT_FOLDER_LIST}')+@($lines | Where-Object {$_.StartsWith('+')} | ForEach-Object {$_.Substring(2)}))`,
    // This tar reads names in the code page of the system.
    "[IO.File]::WriteAllLines($root+'.list',$names,[Text.Encoding]::Default)",
    "tar -czf ($root+'.tar.gz') -C $root -T ($root+'.list')",
    "Remove-Item -LiteralPath ($root+'.list')",
    `if($names.Count -le $lines.Count){'::warning::'+$env:TUTTI_SHOWN+' ${LEFT_OUT}'}`,
  ].join('; ');
  return [
    `@set "TUTTI_FOLDER=${folder.slice(1, -1)}"`,
    `@set "TUTTI_SHOWN=${shown.replaceAll('%', '%%')}"`,
    `@if exist ${folder} powershell -NoProfile -NonInteractive -Command "${script.replaceAll('%', '%%')}"`,
    `@for %%F in (${archive(folder)}) do @if exist "%%~fF" echo ${head}%%~fF`,
    ...absence.map((line) => `@if not exist ${archive(folder)} echo ${line}`),
  ];
}
